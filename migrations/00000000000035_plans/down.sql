DROP INDEX messages_list;
DROP INDEX messages_of_thread;
CREATE INDEX messages_list ON messages (organization_id, inbox_id, hidden, timestamp, message_id);
CREATE INDEX messages_of_thread ON messages (organization_id, inbox_id, thread_id, timestamp, message_id);
-- Restores the primary key as the newest index.
ALTER TABLE messages DROP CONSTRAINT messages_pkey;
ALTER TABLE messages ADD CONSTRAINT messages_pkey PRIMARY KEY (organization_id, inbox_id, message_id);

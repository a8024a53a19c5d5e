-- Separate indexes for walks along messages. Walks of an inbox add the condition `size >= 0`, and walks of a thread
-- `cardinality(references_) >= 0`. Both are true for every message, and neither column ever changes. Lookups by id have
-- no such condition, so the primary key is their only index that starts with the inbox.
-- Among usable indexes the planner prefers the one with fewer levels, which can be that of a walk while the primary key
-- has more pages. With mostly small inboxes it expects few rows from either, and would scan a large inbox for one
-- message. Reads continue while the indexes are created.
CREATE INDEX messages_walked ON messages (organization_id, inbox_id, hidden, timestamp, message_id) WHERE size >= 0;
CREATE INDEX messages_in_thread ON messages (organization_id, inbox_id, thread_id, timestamp, message_id)
    WHERE cardinality(references_) >= 0;
-- Created last: at equal cost the planner prefers the newest index over the primary key.
CREATE INDEX messages_with_header ON messages (organization_id, inbox_id, header_message_id)
    WHERE header_message_id IS NOT NULL;
DROP INDEX messages_list;
DROP INDEX messages_of_thread;
DROP INDEX messages_by_header;
ALTER INDEX messages_walked RENAME TO messages_list;
ALTER INDEX messages_in_thread RENAME TO messages_of_thread;
ALTER INDEX messages_with_header RENAME TO messages_by_header;

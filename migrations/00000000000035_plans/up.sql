-- Walks along messages have indexes of their own, which say so: whoever walks along an inbox says `size >= 0`, whoever walks
-- along a thread `cardinality(references_) >= 0`. Both hold for every message, and neither column ever changes. Whoever asks
-- for messages by their ids says nothing of the kind, so that the primary key is the only index that begins with the inbox
-- and fits. Between two that fit, the planner takes the one of fewer levels, which may be that of a walk for as long as the
-- primary key has split its pages sooner; it expects as little of either where most inboxes are small, and would pass over
-- all of a large one to find a message. Readers go on while the indexes are made.
CREATE INDEX messages_walked ON messages (organization_id, inbox_id, hidden, timestamp, message_id) WHERE size >= 0;
CREATE INDEX messages_in_thread ON messages (organization_id, inbox_id, thread_id, timestamp, message_id)
    WHERE cardinality(references_) >= 0;
-- Made last: where it is as good as the primary key, the planner takes the youngest.
CREATE INDEX messages_with_header ON messages (organization_id, inbox_id, header_message_id)
    WHERE header_message_id IS NOT NULL;
DROP INDEX messages_list;
DROP INDEX messages_of_thread;
DROP INDEX messages_by_header;
ALTER INDEX messages_walked RENAME TO messages_list;
ALTER INDEX messages_in_thread RENAME TO messages_of_thread;
ALTER INDEX messages_with_header RENAME TO messages_by_header;

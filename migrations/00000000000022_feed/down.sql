DROP TABLE feed_pending;
DROP TABLE feed_heads;
DROP TABLE feed;
CREATE TABLE events_plain (LIKE events);
INSERT INTO events_plain SELECT * FROM events;
DROP TABLE events;
ALTER TABLE events_plain RENAME TO events;
ALTER TABLE events
    ADD CONSTRAINT events_pkey PRIMARY KEY (organization_id, created_at, event_id) INCLUDE (event_type, pod_id);
CREATE INDEX events_of_inbox ON events (organization_id, inbox_id, created_at, event_id) INCLUDE (event_type);

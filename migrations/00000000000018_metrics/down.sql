DROP TABLE usage_samples;
DROP INDEX events_of_inbox;
CREATE INDEX events_of_inbox ON events (organization_id, inbox_id, created_at, event_id);
ALTER TABLE events
    DROP CONSTRAINT events_pkey,
    ADD CONSTRAINT events_pkey PRIMARY KEY (organization_id, created_at, event_id);

-- The event content in the feed, stored with the pending event, so that sequencing reads no events.
ALTER TABLE feed_pending
    ADD COLUMN event_type text COLLATE "C",
    ADD COLUMN pod_id     uuid,
    ADD COLUMN inbox_id   text COLLATE "C";
UPDATE feed_pending p SET event_type = e.event_type, pod_id = e.pod_id, inbox_id = e.inbox_id
FROM events e
WHERE e.organization_id = p.organization_id AND e.created_at = p.created_at AND e.event_id = p.event_id;
DELETE FROM feed_pending WHERE event_type IS NULL;
ALTER TABLE feed_pending ALTER COLUMN event_type SET NOT NULL;

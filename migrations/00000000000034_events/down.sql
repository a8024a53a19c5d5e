ALTER TABLE feed_pending
    DROP COLUMN event_type,
    DROP COLUMN pod_id,
    DROP COLUMN inbox_id;

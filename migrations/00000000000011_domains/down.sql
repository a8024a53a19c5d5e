DELETE FROM events WHERE pod_id IS NULL OR inbox_id IS NULL OR thread_id IS NULL OR message_id IS NULL;
ALTER TABLE events
    ALTER COLUMN pod_id SET NOT NULL,
    ALTER COLUMN inbox_id SET NOT NULL,
    ALTER COLUMN thread_id SET NOT NULL,
    ALTER COLUMN message_id SET NOT NULL;
DROP TABLE domains;
DROP TABLE proven_domains;

ALTER TABLE captured
    DROP COLUMN organization_id,
    DROP COLUMN inbox_id,
    DROP COLUMN message_id;
ALTER TABLE messages DROP COLUMN redacted_at;

CREATE INDEX messages_of_sender ON messages (organization_id, inbox_id,
    hashtextextended(lower(coalesce(substring(from_ FROM '<([^<>]*)>$'), from_)), 0), timestamp)
    WHERE sent_by IS NULL;
ALTER TABLE threads DROP COLUMN trust;
ALTER TABLE messages DROP COLUMN trust;
DROP TABLE contacts;

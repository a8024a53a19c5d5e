UPDATE inbox_usage u SET storage_bytes = u.storage_bytes - s.size
FROM (
    SELECT organization_id, inbox_id, sum(size)::bigint AS size FROM (
        SELECT organization_id, inbox_id, size FROM drafts
        UNION ALL
        SELECT organization_id, inbox_id, octet_length(text) FROM notes
    ) one GROUP BY organization_id, inbox_id
) s
WHERE u.organization_id = s.organization_id AND u.inbox_id = s.inbox_id;
DROP TABLE creation_counts;
ALTER TABLE drafts DROP COLUMN size;
ALTER TABLE domains DROP COLUMN inbound_enabled, DROP COLUMN catch_all_inbox_id;
DROP INDEX messages_to_other;
DROP INDEX messages_tagged;
ALTER TABLE messages DROP COLUMN delivered_to, DROP COLUMN tag;

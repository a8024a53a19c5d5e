-- Attachments of stored messages are read as well, after those of new mail.
UPDATE message_bodies b SET attachments_due_at = m.timestamp
FROM messages m
WHERE b.organization_id = m.organization_id AND b.inbox_id = m.inbox_id AND b.message_id = m.message_id
    AND m.attachments <> '[]' AND m.redacted_at IS NULL;

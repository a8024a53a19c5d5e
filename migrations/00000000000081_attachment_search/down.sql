DROP INDEX message_bodies_attachments;
ALTER TABLE message_bodies
    DROP COLUMN attachments_due_at,
    DROP COLUMN attachment_attempts,
    DROP COLUMN attachment_texts,
    DROP COLUMN unread_attachments;

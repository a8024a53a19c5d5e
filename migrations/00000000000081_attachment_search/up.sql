-- Text of attachments, which a worker reads after the message is stored.
--
-- attachments_due_at: time from which a worker may read them; NULL when nothing is left to do. attachment_attempts:
-- attempts begun. attachment_texts: a text of each attachment with words, which search_text has in lower case as well.
-- unread_attachments: attachments that were given up.
ALTER TABLE message_bodies
    ADD COLUMN attachments_due_at  timestamptz,
    ADD COLUMN attachment_attempts smallint NOT NULL DEFAULT 0,
    ADD COLUMN attachment_texts    text[],
    ADD COLUMN unread_attachments  integer;
ALTER TABLE message_bodies ALTER COLUMN attachment_texts SET COMPRESSION lz4;

CREATE INDEX message_bodies_attachments ON message_bodies (organization_id, attachments_due_at)
    WHERE attachments_due_at IS NOT NULL;

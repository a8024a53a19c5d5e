-- The send that made a draft: ids of its message and thread, header fields, and whether it may answer automatic mail. A
-- draft that was written as one has none.
ALTER TABLE drafts ADD COLUMN delayed jsonb;

CREATE UNIQUE INDEX drafts_delayed ON drafts (organization_id, inbox_id, (delayed ->> 'message_id'))
    WHERE delayed IS NOT NULL;

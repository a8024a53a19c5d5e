-- Extraction of a mail: codes, confirmation links, and whether it has hidden words. Stored next to the bodies, because
-- lists never show it. NULL for mail from before this migration.
ALTER TABLE message_bodies ADD COLUMN extracted jsonb;

ALTER TABLE drafts DROP COLUMN delayed;

ALTER TABLE message_bodies DROP COLUMN extracted;

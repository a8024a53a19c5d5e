ALTER TABLE message_bodies DROP COLUMN feedback;
ALTER TABLE messages DROP COLUMN release;
ALTER TABLE organizations DROP COLUMN quarantine;

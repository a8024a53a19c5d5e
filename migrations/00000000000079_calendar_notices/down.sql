ALTER TABLE messages DROP COLUMN calendar_event_id;

ALTER TABLE calendar_settings DROP COLUMN feed_digest;

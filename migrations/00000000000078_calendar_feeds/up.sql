-- SHA-256 of the token of the secret URL of a calendar.
ALTER TABLE calendar_settings ADD COLUMN feed_digest bytea;

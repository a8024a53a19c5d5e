ALTER TABLE outgoing DROP COLUMN deferral;
DROP INDEX events_of_message;
DROP TABLE delivery_attempts;

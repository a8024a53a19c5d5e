DROP INDEX calendar_events_by_client;
ALTER TABLE calendar_events DROP COLUMN client_key;

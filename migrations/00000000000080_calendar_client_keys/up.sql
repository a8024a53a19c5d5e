-- Digest of the client_id with which a client created an event, until now the beginning of its uid. A later event with the
-- same client_id has another uid, so that calendar programs do not take it for the deleted one.
ALTER TABLE calendar_events ADD COLUMN client_key text COLLATE "C";
UPDATE calendar_events SET client_key = split_part(uid, '@', 1) WHERE content ? 'request' AND original_start = '';
CREATE UNIQUE INDEX calendar_events_by_client ON calendar_events (organization_id, inbox_id, client_key)
    WHERE client_key IS NOT NULL;

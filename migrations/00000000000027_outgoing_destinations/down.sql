DROP INDEX outgoing_own_by_destination, outgoing_by_destination;
ALTER TABLE outgoing DROP COLUMN is_delay_told, DROP COLUMN claim_id, DROP COLUMN destination;

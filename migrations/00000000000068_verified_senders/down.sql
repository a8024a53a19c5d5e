ALTER TABLE list_entries DROP COLUMN require_authentication;

DELETE FROM api_key_hashes h USING api_keys k
    WHERE k.organization_id = h.organization_id AND k.api_key_id = h.api_key_id AND k.connection_id IS NOT NULL;
DELETE FROM api_keys WHERE connection_id IS NOT NULL;
DROP INDEX api_key_hashes_of_key;
DROP INDEX api_keys_list;
ALTER TABLE api_keys DROP COLUMN connection_id;
CREATE INDEX api_keys_list ON api_keys (organization_id, created_at, api_key_id) WHERE revoked_at IS NULL;
DROP TABLE oauth_refresh_tokens;
DROP TABLE oauth_codes;
DROP TABLE oauth_grants;
DROP TABLE oauth_clients;
ALTER TABLE sign_in_codes DROP COLUMN mails_newcomers;
DROP TABLE browser_sessions;

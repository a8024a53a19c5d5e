DROP INDEX api_keys_of_pod;
DROP INDEX pods_list;
DROP INDEX pods_client_id_key;
ALTER TABLE pods DROP COLUMN client_id, DROP COLUMN deleted_at;

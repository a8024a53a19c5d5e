DROP TABLE notes;
DROP INDEX thread_labels_of_organization;
DROP INDEX threads_by_id;
DROP INDEX threads_of_assignee_anywhere;
DROP INDEX threads_of_organization;
DROP INDEX api_keys_of_pod;
DROP INDEX pods_list;
DROP INDEX pods_client_id_key;
ALTER TABLE pods DROP COLUMN client_id, DROP COLUMN deleted_at;

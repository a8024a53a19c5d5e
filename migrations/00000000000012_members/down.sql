DROP INDEX threads_taken;
DROP INDEX api_keys_of_member;
-- Without this column, a key of a person would act for the organization.
UPDATE api_keys SET revoked_at = now() WHERE member_id IS NOT NULL AND revoked_at IS NULL;
ALTER TABLE api_keys DROP COLUMN member_id;
DROP TABLE sign_in_codes, member_emails, members;

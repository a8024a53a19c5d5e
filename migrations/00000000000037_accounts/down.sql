DROP TABLE mail_quotas;
ALTER TABLE verification_codes DROP COLUMN sign_up_network;
DROP INDEX member_emails_organization;
DROP INDEX owner_emails_organization;
DROP INDEX api_key_hashes_organization;
ALTER TABLE organizations DROP COLUMN removed_at;

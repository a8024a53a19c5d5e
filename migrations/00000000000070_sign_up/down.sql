DELETE FROM members WHERE role = 'owner' AND removed_at IS NOT NULL;
DROP INDEX members_owner_key;
CREATE UNIQUE INDEX members_owner_key ON members (organization_id) WHERE role = 'owner';
DROP TABLE sign_up_invitations;
ALTER TABLE organizations DROP COLUMN owner_changes;
UPDATE organizations SET owner_email = organization_id || '@owner.invalid' WHERE owner_email IS NULL;
ALTER TABLE organizations ALTER COLUMN owner_email SET NOT NULL;

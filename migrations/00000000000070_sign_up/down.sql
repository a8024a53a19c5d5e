DROP TABLE sign_up_invitations;
ALTER TABLE organizations DROP COLUMN owner_changes;
UPDATE organizations SET owner_email = organization_id || '@owner.invalid' WHERE owner_email IS NULL;
ALTER TABLE organizations ALTER COLUMN owner_email SET NOT NULL;

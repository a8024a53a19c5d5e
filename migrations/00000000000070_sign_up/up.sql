-- An organization can sign up without an owner address and name it later.
ALTER TABLE organizations ALTER COLUMN owner_email DROP NOT NULL;
-- Number of times that the owner address was replaced before it was confirmed.
ALTER TABLE organizations ADD COLUMN owner_changes integer NOT NULL DEFAULT 0;
-- A replaced owner is a removed member, beside whom there is another.
DROP INDEX members_owner_key;
CREATE UNIQUE INDEX members_owner_key ON members (organization_id) WHERE role = 'owner' AND removed_at IS NULL;

-- Unused invitations of the operator to sign up, by SHA-256.
CREATE TABLE sign_up_invitations (
    invitation_hash bytea       NOT NULL,
    created_at      timestamptz NOT NULL,
    expires_at      timestamptz NOT NULL,
    CONSTRAINT sign_up_invitations_pkey PRIMARY KEY (invitation_hash)
);

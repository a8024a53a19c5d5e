-- Members of organizations, and their sign-in codes.

-- A removed member retains its row, for its client_id and as a record. joined_at: when the invitation became a
-- membership. inbox_ids: inboxes that limit the member; empty means no limit.
CREATE TABLE members (
    organization_id uuid             NOT NULL,
    member_id       uuid             NOT NULL,
    email           text COLLATE "C" NOT NULL,
    name            text COLLATE "C" NOT NULL,
    role            text COLLATE "C" NOT NULL,
    inbox_ids       text[]           NOT NULL,
    client_id       text COLLATE "C",
    joined_at       timestamptz,
    removed_at      timestamptz,
    created_at      timestamptz      NOT NULL,
    updated_at      timestamptz      NOT NULL,
    CONSTRAINT members_pkey PRIMARY KEY (organization_id, member_id),
    CONSTRAINT members_role_check CHECK (role IN ('owner', 'admin', 'member'))
);

CREATE INDEX members_list ON members (organization_id, created_at, member_id) WHERE removed_at IS NULL;
CREATE UNIQUE INDEX members_client_id_key ON members (organization_id, client_id) WHERE client_id IS NOT NULL;
CREATE UNIQUE INDEX members_owner_key ON members (organization_id) WHERE role = 'owner';

-- A directory of the memberships and invitations of an address in normal form. Rows are deleted with the member.
CREATE TABLE member_emails (
    email           text COLLATE "C" NOT NULL,
    organization_id uuid             NOT NULL,
    member_id       uuid             NOT NULL,
    CONSTRAINT member_emails_pkey PRIMARY KEY (email, organization_id)
);

-- A directory of the last code of an address in normal form, whether or not the address is known. The digits are not
-- stored: they derive from the nonce and the secret of the service. mail_due_at: due time of the mail, null when it was
-- mailed or is not needed. asked: number of codes requested since asked_since.
CREATE TABLE sign_in_codes (
    email       text COLLATE "C" NOT NULL,
    nonce       bytea            NOT NULL,
    expires_at  timestamptz      NOT NULL,
    attempts    integer          NOT NULL,
    mail_due_at timestamptz,
    asked_since timestamptz      NOT NULL,
    asked       integer          NOT NULL,
    CONSTRAINT sign_in_codes_pkey PRIMARY KEY (email)
);

CREATE INDEX sign_in_codes_due ON sign_in_codes (mail_due_at) WHERE mail_due_at IS NOT NULL;
CREATE INDEX sign_in_codes_asked ON sign_in_codes (asked_since);

-- Member of a sign-in key. NULL: the key acts for the organization.
ALTER TABLE api_keys ADD COLUMN member_id uuid;

CREATE INDEX api_keys_of_member ON api_keys (organization_id, member_id) WHERE member_id IS NOT NULL;

-- Threads to unassign from a member without access to the inbox.
CREATE INDEX threads_taken ON threads (organization_id, assignee_id, inbox_id, thread_id)
    WHERE assignee_id IS NOT NULL;

-- The owner of every organization is a member from its sign-up on.
INSERT INTO members (organization_id, member_id, email, name, role, inbox_ids, joined_at, created_at, updated_at)
SELECT organization_id, gen_random_uuid(), owner_email, substring(owner_email FROM '^(.*)@'), 'owner', '{}',
    created_at, created_at, created_at
FROM organizations;

INSERT INTO member_emails (email, organization_id, member_id)
SELECT e.email, m.organization_id, m.member_id
FROM owner_emails e JOIN members m ON m.organization_id = e.organization_id;

-- Policies of sending and the messages that they hold.

-- Rules of a scope: level is organization, pod, inbox or api_key; level_id is empty for an organization. updated_by: null
-- for the policy of a new organization.
CREATE TABLE sending_policies (
    organization_id uuid             NOT NULL,
    level           text COLLATE "C" NOT NULL,
    level_id        text COLLATE "C" NOT NULL,
    rules           jsonb            NOT NULL,
    updated_by      jsonb,
    updated_at      timestamptz      NOT NULL,
    CONSTRAINT sending_policies_pkey PRIMARY KEY (organization_id, level, level_id),
    CONSTRAINT sending_policies_level_check CHECK (level IN ('organization', 'pod', 'inbox', 'api_key'))
);

-- Messages by minute, counted where a policy limits their number. subject: the scope of the policy, and a recipient or
-- nothing.
CREATE TABLE policy_counts (
    organization_id uuid             NOT NULL,
    subject         text COLLATE "C" NOT NULL,
    minute          timestamptz      NOT NULL,
    messages        integer          NOT NULL,
    CONSTRAINT policy_counts_pkey PRIMARY KEY (organization_id, subject, minute)
);

CREATE INDEX policy_counts_over ON policy_counts (minute);

-- Approval of a held message. The composed message waits in draft_attachments, under the nil id.
ALTER TABLE drafts
    ADD COLUMN approval jsonb,
    ADD COLUMN approval_expires_at timestamptz;

CREATE INDEX drafts_approval_over ON drafts (approval_expires_at) WHERE approval_expires_at IS NOT NULL;

-- Draft of a send that was held.
ALTER TABLE send_keys ADD COLUMN draft_id uuid;

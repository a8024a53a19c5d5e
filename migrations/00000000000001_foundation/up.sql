-- The schema of the first version. Conventions: migrations/README.md.

-- ---------------------------------------------------------------------------------------------------------------------
-- Directories: the only tables without a leading organization_id, because their names are unique in the service.

-- Owner address of an organization, in normal form.
CREATE TABLE owner_emails (
    email           text COLLATE "C" NOT NULL,
    organization_id uuid             NOT NULL,
    CONSTRAINT owner_emails_pkey PRIMARY KEY (email)
);

-- Every address that an inbox ever had. The address of a deleted inbox stays reserved.
CREATE TABLE addresses (
    address         text COLLATE "C" NOT NULL,
    organization_id uuid             NOT NULL,
    pod_id          uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    deleted_at      timestamptz,
    CONSTRAINT addresses_pkey PRIMARY KEY (address)
);

-- SHA-256 of every API key. Its row in api_keys says whether the key is valid.
CREATE TABLE api_key_hashes (
    hash            bytea NOT NULL,
    organization_id uuid  NOT NULL,
    api_key_id      uuid  NOT NULL,
    CONSTRAINT api_key_hashes_pkey PRIMARY KEY (hash)
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Accounts

CREATE TABLE organizations (
    organization_id uuid             NOT NULL,
    owner_email     text COLLATE "C" NOT NULL,
    plan            text COLLATE "C" NOT NULL,
    verified_at     timestamptz,
    default_pod_id  uuid             NOT NULL,
    created_at      timestamptz      NOT NULL,
    updated_at      timestamptz      NOT NULL,
    CONSTRAINT organizations_pkey PRIMARY KEY (organization_id)
);

CREATE TABLE pods (
    organization_id uuid             NOT NULL,
    pod_id          uuid             NOT NULL,
    name            text COLLATE "C" NOT NULL,
    created_at      timestamptz      NOT NULL,
    updated_at      timestamptz      NOT NULL,
    CONSTRAINT pods_pkey PRIMARY KEY (organization_id, pod_id)
);

CREATE TABLE verification_codes (
    organization_id uuid        NOT NULL,
    code_hash       bytea       NOT NULL,
    expires_at      timestamptz NOT NULL,
    attempts        integer     NOT NULL,
    CONSTRAINT verification_codes_pkey PRIMARY KEY (organization_id)
);

-- No pod and no inbox: the key has organization scope. A pod alone: pod scope. Both: inbox scope.
CREATE TABLE api_keys (
    organization_id uuid             NOT NULL,
    api_key_id      uuid             NOT NULL,
    prefix          text COLLATE "C" NOT NULL,
    name            text COLLATE "C" NOT NULL,
    pod_id          uuid,
    inbox_id        text COLLATE "C",
    permissions     jsonb,
    expires_at      timestamptz,
    used_at         timestamptz,
    revoked_at      timestamptz,
    created_at      timestamptz      NOT NULL,
    updated_at      timestamptz      NOT NULL,
    CONSTRAINT api_keys_pkey PRIMARY KEY (organization_id, api_key_id),
    CONSTRAINT api_keys_reach_check CHECK (inbox_id IS NULL OR pod_id IS NOT NULL)
);

CREATE INDEX api_keys_list ON api_keys (organization_id, created_at, api_key_id) WHERE revoked_at IS NULL;
CREATE INDEX api_keys_of_inbox ON api_keys (organization_id, inbox_id, created_at, api_key_id)
    WHERE revoked_at IS NULL AND inbox_id IS NOT NULL;

-- ---------------------------------------------------------------------------------------------------------------------
-- Inboxes

-- A deleted inbox retains its row: for its client_id, and until its content is purged.
CREATE TABLE inboxes (
    organization_id uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    pod_id          uuid             NOT NULL,
    display_name    text COLLATE "C",
    client_id       text COLLATE "C",
    metadata        jsonb            NOT NULL,
    created_at      timestamptz      NOT NULL,
    updated_at      timestamptz      NOT NULL,
    deleted_at      timestamptz,
    purged_at       timestamptz,
    CONSTRAINT inboxes_pkey PRIMARY KEY (organization_id, inbox_id)
);

CREATE UNIQUE INDEX inboxes_client_id_key ON inboxes (organization_id, client_id) WHERE client_id IS NOT NULL;
CREATE INDEX inboxes_list ON inboxes (organization_id, created_at, inbox_id) WHERE deleted_at IS NULL;
CREATE INDEX inboxes_of_pod ON inboxes (organization_id, pod_id, created_at, inbox_id) WHERE deleted_at IS NULL;
CREATE INDEX inboxes_to_purge ON inboxes (deleted_at) WHERE deleted_at IS NOT NULL AND purged_at IS NULL;

-- ---------------------------------------------------------------------------------------------------------------------
-- Messages

-- Fields of lists. hidden: four bits, one for each hiding label (spam, blocked, unauthenticated, trash); 0 is a message
-- that every list shows.
CREATE TABLE messages (
    organization_id   uuid             NOT NULL,
    inbox_id          text COLLATE "C" NOT NULL,
    message_id        text COLLATE "C" NOT NULL,
    thread_id         uuid             NOT NULL,
    labels            text[]           NOT NULL,
    hidden            smallint         NOT NULL,
    timestamp         timestamptz      NOT NULL,
    from_             text COLLATE "C" NOT NULL,
    to_               text[]           NOT NULL,
    cc                text[]           NOT NULL,
    bcc               text[]           NOT NULL,
    reply_to          text[]           NOT NULL,
    subject           text COLLATE "C",
    preview           text COLLATE "C",
    attachments       jsonb            NOT NULL,
    in_reply_to       text COLLATE "C",
    references_       text[]           NOT NULL,
    size              bigint           NOT NULL,
    sent_by           jsonb,
    header_message_id text COLLATE "C",
    digest            bytea,
    created_at        timestamptz      NOT NULL,
    updated_at        timestamptz      NOT NULL
);

-- hidden precedes the time, so that a list of visible messages never scans spam. A list with hidden mail merges at most
-- sixteen walks.
CREATE INDEX messages_list ON messages (organization_id, inbox_id, hidden, timestamp, message_id);
CREATE INDEX messages_of_thread ON messages (organization_id, inbox_id, thread_id, timestamp, message_id);
CREATE INDEX messages_by_header ON messages (organization_id, inbox_id, header_message_id)
    WHERE header_message_id IS NOT NULL;

-- The primary key comes last: when the planner expects one or two rows from any index that starts with the inbox, it
-- prefers the newest one.
ALTER TABLE messages ADD CONSTRAINT messages_pkey PRIMARY KEY (organization_id, inbox_id, message_id);

-- One row for each label of a message: the list of any label is a walk along the primary key.
CREATE TABLE message_labels (
    organization_id uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    label           text COLLATE "C" NOT NULL,
    hidden          smallint         NOT NULL,
    timestamp       timestamptz      NOT NULL,
    message_id      text COLLATE "C" NOT NULL,
    CONSTRAINT message_labels_pkey PRIMARY KEY (organization_id, inbox_id, label, hidden, timestamp, message_id)
);

-- Fields that lists never read. headers is JSON text, an array of pairs: its length is known without reading it.
-- Filters search the columns below search_text. The program folds them to lower case, because the database folds only
-- ASCII in collation C.
CREATE TABLE message_bodies (
    organization_id  uuid             NOT NULL,
    inbox_id         text COLLATE "C" NOT NULL,
    message_id       text COLLATE "C" NOT NULL,
    text             text COLLATE "C",
    html             text COLLATE "C",
    extracted_text   text COLLATE "C",
    extracted_html   text COLLATE "C",
    headers          text COLLATE "C" NOT NULL,
    search_text      text COLLATE "C" NOT NULL,
    folded_from      text COLLATE "C" NOT NULL,
    folded_to        text[]           NOT NULL,
    folded_subject   text COLLATE "C" NOT NULL,
    raw              bytea            NOT NULL,
    CONSTRAINT message_bodies_pkey PRIMARY KEY (organization_id, inbox_id, message_id)
);

-- LZ4 is several times faster than the default compression of PostgreSQL, where the server was built with it.
DO $$
BEGIN
    ALTER TABLE message_bodies
        ALTER COLUMN text SET COMPRESSION lz4,
        ALTER COLUMN html SET COMPRESSION lz4,
        ALTER COLUMN extracted_text SET COMPRESSION lz4,
        ALTER COLUMN extracted_html SET COMPRESSION lz4,
        ALTER COLUMN headers SET COMPRESSION lz4,
        ALTER COLUMN search_text SET COMPRESSION lz4,
        ALTER COLUMN raw SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
    NULL;
END
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Threads

-- hidden_sets: sixteen bits, one for each combination of hiding labels among the messages of the thread. visible:
-- whether one of them is a message that every list shows.
CREATE TABLE threads (
    organization_id    uuid             NOT NULL,
    inbox_id           text COLLATE "C" NOT NULL,
    thread_id          uuid             NOT NULL,
    labels             text[]           NOT NULL,
    timestamp          timestamptz      NOT NULL,
    received_timestamp timestamptz,
    sent_timestamp     timestamptz,
    senders            text[]           NOT NULL,
    recipients         text[]           NOT NULL,
    subject            text COLLATE "C",
    preview            text COLLATE "C",
    attachments        jsonb            NOT NULL,
    last_message_id    text COLLATE "C" NOT NULL,
    message_count      bigint           NOT NULL,
    size               bigint           NOT NULL,
    hidden_sets        integer          NOT NULL,
    visible            boolean          NOT NULL,
    assignee_id        text COLLATE "C",
    assignee           jsonb,
    folded_senders     text[]           NOT NULL,
    folded_recipients  text[]           NOT NULL,
    folded_subject     text COLLATE "C" NOT NULL,
    created_at         timestamptz      NOT NULL,
    updated_at         timestamptz      NOT NULL
);

CREATE INDEX threads_list ON threads (organization_id, inbox_id, visible, timestamp, thread_id);
CREATE INDEX threads_of_assignee ON threads (organization_id, inbox_id, assignee_id, visible, timestamp, thread_id)
    WHERE assignee_id IS NOT NULL;

-- Last, like the primary key of messages.
ALTER TABLE threads ADD CONSTRAINT threads_pkey PRIMARY KEY (organization_id, inbox_id, thread_id);

CREATE TABLE thread_labels (
    organization_id uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    label           text COLLATE "C" NOT NULL,
    visible         boolean          NOT NULL,
    timestamp       timestamptz      NOT NULL,
    thread_id       uuid             NOT NULL,
    CONSTRAINT thread_labels_pkey PRIMARY KEY (organization_id, inbox_id, label, visible, timestamp, thread_id)
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Events

-- One table. The time is part of the key, so that the table can become a partition by time when events expire
-- (docs/adr/0007-weekly-partitions.md).
CREATE TABLE events (
    organization_id uuid             NOT NULL,
    created_at      timestamptz      NOT NULL,
    event_id        uuid             NOT NULL,
    event_type      text COLLATE "C" NOT NULL,
    pod_id          uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    thread_id       uuid             NOT NULL,
    message_id      text COLLATE "C" NOT NULL,
    body            jsonb            NOT NULL,
    CONSTRAINT events_pkey PRIMARY KEY (organization_id, created_at, event_id)
);

CREATE INDEX events_of_inbox ON events (organization_id, inbox_id, created_at, event_id);

-- ---------------------------------------------------------------------------------------------------------------------
-- Usage

CREATE TABLE inbox_usage (
    organization_id uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    storage_bytes   bigint           NOT NULL,
    messages        bigint           NOT NULL,
    threads         bigint           NOT NULL,
    CONSTRAINT inbox_usage_pkey PRIMARY KEY (organization_id, inbox_id)
);

-- day is a calendar day in UTC.
CREATE TABLE send_counts (
    organization_id uuid   NOT NULL,
    day             date   NOT NULL,
    count           bigint NOT NULL,
    CONSTRAINT send_counts_pkey PRIMARY KEY (organization_id, day)
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Outgoing mail

-- sealed: the encrypted mail, when it has no message. raw: the mail of a message that was deleted while queued.
-- Neither: the content of the message.
CREATE TABLE outgoing (
    organization_id uuid             NOT NULL,
    outgoing_id     uuid             NOT NULL,
    pod_id          uuid,
    inbox_id        text COLLATE "C",
    thread_id       uuid,
    message_id      text COLLATE "C",
    route           text COLLATE "C" NOT NULL,
    envelope_from   text COLLATE "C" NOT NULL,
    recipients      text[]           NOT NULL,
    sealed          bytea,
    raw             bytea,
    attempts        integer          NOT NULL,
    created_at      timestamptz      NOT NULL,
    due_at          timestamptz      NOT NULL,
    CONSTRAINT outgoing_pkey PRIMARY KEY (organization_id, outgoing_id)
);

-- System mail has no message and precedes all other mail, which is claimed by organization.
CREATE INDEX outgoing_own_due ON outgoing (due_at) WHERE message_id IS NULL;
CREATE INDEX outgoing_due ON outgoing (due_at) WHERE message_id IS NOT NULL;
CREATE INDEX outgoing_due_of_organization ON outgoing (organization_id, due_at) WHERE message_id IS NOT NULL;
CREATE INDEX outgoing_by_id ON outgoing (outgoing_id);
CREATE INDEX outgoing_of_message ON outgoing (organization_id, inbox_id, message_id) WHERE message_id IS NOT NULL;

-- Captured mail, which belongs to the operator, so its key has no organization.
CREATE TABLE captured (
    captured_id   bigint GENERATED ALWAYS AS IDENTITY,
    envelope_from text COLLATE "C" NOT NULL,
    recipients    text[]           NOT NULL,
    sealed        bytea            NOT NULL,
    captured_at   timestamptz      NOT NULL,
    CONSTRAINT captured_pkey PRIMARY KEY (captured_id)
);

-- address is in normal form.
CREATE TABLE suppressions (
    organization_id uuid             NOT NULL,
    address         text COLLATE "C" NOT NULL,
    reason          text COLLATE "C" NOT NULL,
    created_at      timestamptz      NOT NULL,
    CONSTRAINT suppressions_pkey PRIMARY KEY (organization_id, address)
);

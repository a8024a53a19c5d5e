-- The whole of what the first version stores. How to read it: migrations/README.md.

-- ---------------------------------------------------------------------------------------------------------------------
-- Directories: the only tables that are not led by organization_id, for what they name is unique in the whole service.

-- The address that owns an organization, in normal form.
CREATE TABLE owner_emails (
    email           text COLLATE "C" NOT NULL,
    organization_id uuid             NOT NULL,
    CONSTRAINT owner_emails_pkey PRIMARY KEY (email)
);

-- Every address that was ever given to an inbox. A deleted inbox leaves its address claimed.
CREATE TABLE addresses (
    address         text COLLATE "C" NOT NULL,
    organization_id uuid             NOT NULL,
    pod_id          uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    deleted_at      timestamptz,
    CONSTRAINT addresses_pkey PRIMARY KEY (address)
);

-- SHA-256 of every API key. Whether the key still works is said by its row in api_keys.
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

-- No pod and no inbox: the key reaches the organization. A pod alone: the pod. Both: the inbox.
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

-- A deleted inbox keeps its row: for its client_id, and until its content is purged.
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

-- What lists show. hidden: four bits, one for each label that keeps a message out of lists (spam, blocked,
-- unauthenticated, trash); 0 is a message that every list shows.
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

-- hidden comes before the time, so that a list of what everyone sees never walks over spam; a list that includes hidden
-- mail merges at most sixteen such walks.
CREATE INDEX messages_list ON messages (organization_id, inbox_id, hidden, timestamp, message_id);
CREATE INDEX messages_of_thread ON messages (organization_id, inbox_id, thread_id, timestamp, message_id);
CREATE INDEX messages_by_header ON messages (organization_id, inbox_id, header_message_id)
    WHERE header_message_id IS NOT NULL;

-- The primary key comes last: where the planner expects a row or two of any index that begins with the inbox, however
-- many there are, it takes the youngest.
ALTER TABLE messages ADD CONSTRAINT messages_pkey PRIMARY KEY (organization_id, inbox_id, message_id);

-- One row a label of a message: the list of a label, the rarest included, is a walk along the primary key.
CREATE TABLE message_labels (
    organization_id uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    label           text COLLATE "C" NOT NULL,
    hidden          smallint         NOT NULL,
    timestamp       timestamptz      NOT NULL,
    message_id      text COLLATE "C" NOT NULL,
    CONSTRAINT message_labels_pkey PRIMARY KEY (organization_id, inbox_id, label, hidden, timestamp, message_id)
);

-- What lists never touch. headers is JSON, an array of pairs, as text: its length is known without reading it.
-- The columns below search_text are what filters look through, folded to lower case by the program, for the database
-- folds only ASCII in collation C.
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

-- LZ4 packs and unpacks several times faster than PostgreSQL's own method, where the server was built with it.
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

-- hidden_sets: sixteen bits, one for each combination of hiding labels among the thread's messages. visible: whether one
-- of them is a message that every list shows.
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

-- Last, as that of messages.
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

-- One table. The time is part of the key, so that it can become the first part of a table that is partitioned by time
-- as soon as events are dropped by age (docs/adr/0007-weekly-partitions.md).
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

-- sealed: the mail itself, where it has no message. raw: the mail of a message that was deleted on the way. Neither: the
-- mail is the message's.
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

-- Mails of the service itself have no message; they go before all others, which are claimed organization by organization.
CREATE INDEX outgoing_own_due ON outgoing (due_at) WHERE message_id IS NULL;
CREATE INDEX outgoing_due ON outgoing (due_at) WHERE message_id IS NOT NULL;
CREATE INDEX outgoing_due_of_organization ON outgoing (organization_id, due_at) WHERE message_id IS NOT NULL;
CREATE INDEX outgoing_by_id ON outgoing (outgoing_id);
CREATE INDEX outgoing_of_message ON outgoing (organization_id, inbox_id, message_id) WHERE message_id IS NOT NULL;

-- Mails that were kept instead of sent; they belong to the operator, so no organization leads here either.
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

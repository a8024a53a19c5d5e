-- Drafts: unsent messages.

-- in_reply_to, thread_id, references_: of a reply; the last reference is the original Message-ID of the replied
-- message. forward_of: the forwarded message. claimed_until: end of the claim of a sender. revision counts all writes.
-- due_at: time at which a worker sends it; null when it is not scheduled or was refused.
CREATE TABLE drafts (
    organization_id uuid             NOT NULL,
    draft_id        uuid             NOT NULL,
    pod_id          uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    client_id       text COLLATE "C",
    in_reply_to     text COLLATE "C",
    thread_id       uuid,
    references_     text[]           NOT NULL,
    forward_of      text COLLATE "C",
    labels          text[]           NOT NULL,
    to_             text[]           NOT NULL,
    cc              text[]           NOT NULL,
    bcc             text[]           NOT NULL,
    reply_to        text[]           NOT NULL,
    subject         text COLLATE "C",
    preview         text COLLATE "C",
    text            text COLLATE "C",
    html            text COLLATE "C",
    attachments     jsonb            NOT NULL,
    send_at         timestamptz,
    has_failed      boolean          NOT NULL,
    claimed_until   timestamptz,
    revision        bigint           NOT NULL,
    due_at          timestamptz,
    created_by      jsonb            NOT NULL,
    updated_by      jsonb            NOT NULL,
    created_at      timestamptz      NOT NULL,
    updated_at      timestamptz      NOT NULL,
    CONSTRAINT drafts_pkey PRIMARY KEY (organization_id, draft_id),
    CONSTRAINT drafts_kind_check CHECK (forward_of IS NULL OR in_reply_to IS NULL),
    CONSTRAINT drafts_reply_check CHECK ((in_reply_to IS NULL) = (thread_id IS NULL))
);

CREATE INDEX drafts_list ON drafts (organization_id, updated_at, draft_id);
CREATE INDEX drafts_of_pod ON drafts (organization_id, pod_id, updated_at, draft_id);
CREATE INDEX drafts_of_inbox ON drafts (organization_id, inbox_id, updated_at, draft_id);
CREATE INDEX drafts_of_thread ON drafts (organization_id, inbox_id, thread_id, updated_at, draft_id)
    WHERE thread_id IS NOT NULL;
CREATE INDEX drafts_due ON drafts (due_at) WHERE due_at IS NOT NULL;

-- Bytes of attachments, which lists never read; drafts.attachments has their metadata.
CREATE TABLE draft_attachments (
    organization_id uuid  NOT NULL,
    draft_id        uuid  NOT NULL,
    attachment_id   uuid  NOT NULL,
    content         bytea NOT NULL,
    CONSTRAINT draft_attachments_pkey PRIMARY KEY (organization_id, draft_id, attachment_id)
);

-- Every client_id that has created a draft, with its draft. The row outlives the draft.
CREATE TABLE draft_client_ids (
    organization_id uuid             NOT NULL,
    client_id       text COLLATE "C" NOT NULL,
    draft_id        uuid             NOT NULL,
    CONSTRAINT draft_client_ids_pkey PRIMARY KEY (organization_id, client_id)
);

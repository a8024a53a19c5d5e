-- Webhooks: who is told of events. How to read it: migrations/README.md.

-- No pod and no inbox: it was made for the organization. A pod alone: for the pod. Both: for the inbox. It hears nothing
-- beyond that.
-- narrowed: it hears only of the pods in pod_ids and the inboxes in inbox_ids; of nothing where both are empty. Otherwise
-- it hears everything within its place, and both are empty.
-- secret: 32 octets, sealed by the vault for the webhook's id, as are those before it, the newest first, each of which
-- signs too until its time in previous_until.
-- headers: a JSON object of names and values, sealed for the webhook's id and the word `headers`; null where there are
-- none. header_names: its names, for everyone to read.
-- failing_since: the first failure of a run that no success has broken. Disabled while that stands, it was for failing.
CREATE TABLE webhooks (
    organization_id uuid             NOT NULL,
    webhook_id      uuid             NOT NULL,
    pod_id          uuid,
    inbox_id        text COLLATE "C",
    url             text COLLATE "C" NOT NULL,
    event_types     text[] COLLATE "C" NOT NULL,
    narrowed        boolean          NOT NULL,
    pod_ids         uuid[]           NOT NULL,
    inbox_ids       text[] COLLATE "C" NOT NULL,
    enabled         boolean          NOT NULL,
    secret          bytea            NOT NULL,
    previous_secrets bytea[]         NOT NULL,
    previous_until  timestamptz[]    NOT NULL,
    header_names    text[] COLLATE "C" NOT NULL,
    headers         bytea,
    client_id       text COLLATE "C",
    failing_since   timestamptz,
    last_failed_at  timestamptz,
    created_at      timestamptz      NOT NULL,
    updated_at      timestamptz      NOT NULL,
    CONSTRAINT webhooks_pkey PRIMARY KEY (organization_id, webhook_id),
    CONSTRAINT webhooks_place_check CHECK (inbox_id IS NULL OR pod_id IS NOT NULL),
    CONSTRAINT webhooks_narrowed_check CHECK (narrowed OR (pod_ids = '{}' AND inbox_ids = '{}')),
    CONSTRAINT webhooks_previous_check CHECK (cardinality(previous_secrets) = cardinality(previous_until)),
    CONSTRAINT webhooks_headers_check CHECK ((headers IS NULL) = (header_names = '{}'))
);

CREATE INDEX webhooks_list ON webhooks (organization_id, created_at, webhook_id);
CREATE INDEX webhooks_of_pod ON webhooks (organization_id, pod_id, created_at, webhook_id) WHERE pod_id IS NOT NULL;
CREATE INDEX webhooks_of_inbox ON webhooks (organization_id, inbox_id, created_at, webhook_id)
    WHERE inbox_id IS NOT NULL;

-- Webhooks. Conventions: migrations/README.md.

-- No pod and no inbox: the webhook belongs to the organization. A pod alone: to the pod. Both: to the inbox. It
-- receives no events outside that scope.
-- narrowed: it receives events of the pods in pod_ids and the inboxes in inbox_ids only; none when both are empty.
-- Otherwise it receives all events in its scope, and both are empty.
-- secret: 32 bytes, encrypted by the vault for the id of the webhook, like the earlier ones, newest first. Each of
-- those signs until its time in previous_until.
-- headers: a JSON object of names and values, encrypted for the id of the webhook and the word `headers`; null when
-- empty. header_names: its readable names.
-- failing_since: first failure of the present streak. A webhook disabled while this is set was disabled for failures.
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

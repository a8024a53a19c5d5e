-- Subscriptions whose events are read with a token. The scope is that of `webhooks`.
CREATE TABLE polling_webhooks (
    organization_id uuid             NOT NULL,
    webhook_id      uuid             NOT NULL,
    pod_id          uuid,
    inbox_id        text COLLATE "C",
    client_id       text COLLATE "C" NOT NULL,
    event_types     text[]           NOT NULL,
    narrowed        boolean          NOT NULL,
    pod_ids         uuid[]           NOT NULL,
    inbox_ids       text[]           NOT NULL,
    token_hash      bytea            NOT NULL,
    start_at        timestamptz      NOT NULL,
    start_position  bigint           NOT NULL,
    created_at      timestamptz      NOT NULL,
    updated_at      timestamptz      NOT NULL,
    CONSTRAINT polling_webhooks_pkey PRIMARY KEY (organization_id, webhook_id)
);
CREATE UNIQUE INDEX polling_webhooks_client_id_key ON polling_webhooks (organization_id, client_id);
CREATE INDEX polling_webhooks_place_created
    ON polling_webhooks (organization_id, coalesce(inbox_id, pod_id::text, ''), created_at, webhook_id);
-- A token finds its subscription in any organization.
CREATE UNIQUE INDEX polling_webhooks_token_hash_key ON polling_webhooks (token_hash);

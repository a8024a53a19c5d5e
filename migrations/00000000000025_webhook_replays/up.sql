-- Replays that are not complete: the events of an organization that are still to be looked at for a webhook, from the
-- place behind (next_at, next_id) up to until_at. A worker goes on with the one that has waited longest.
CREATE TABLE webhook_replays (
    organization_id uuid        NOT NULL,
    webhook_id      uuid        NOT NULL,
    next_at         timestamptz NOT NULL,
    next_id         uuid        NOT NULL,
    until_at        timestamptz NOT NULL,
    walked_at       timestamptz NOT NULL,
    CONSTRAINT webhook_replays_pkey PRIMARY KEY (organization_id, webhook_id)
);

CREATE INDEX webhook_replays_waiting ON webhook_replays (walked_at);

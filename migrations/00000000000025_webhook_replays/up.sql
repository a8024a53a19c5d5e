-- Incomplete replays: the remaining events of an organization for a webhook, after the position (next_at, next_id) up
-- to until_at. A worker continues the one that has waited longest.
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

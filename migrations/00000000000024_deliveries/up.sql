-- Events on their way to webhooks, and the log of what became of them. How to read it: migrations/README.md.

-- An event that a webhook has not taken yet. A row goes with its success, with its last attempt, and after its webhook.
-- event_created_at: with it the event is found.
-- position: the place of the event in the feed. The first attempts of a webhook begin in this order.
-- attempts: how many have failed.
-- claim_id: the claim of whoever is trying; it has run out at due_at. Otherwise due_at is when the next attempt is due.
CREATE TABLE webhook_deliveries (
    organization_id  uuid             NOT NULL,
    webhook_id       uuid             NOT NULL,
    event_id         uuid             NOT NULL,
    event_type       text COLLATE "C" NOT NULL,
    event_created_at timestamptz      NOT NULL,
    position         bigint           NOT NULL,
    attempts         integer          NOT NULL DEFAULT 0,
    due_at           timestamptz      NOT NULL,
    claim_id         uuid,
    CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (organization_id, webhook_id, event_id)
);

-- What was never tried goes by its position, so that nothing new waits behind what failed. All else goes by its time.
CREATE INDEX webhook_deliveries_new ON webhook_deliveries (organization_id, webhook_id, position)
    WHERE attempts = 0 AND claim_id IS NULL;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (organization_id, webhook_id, due_at, position)
    WHERE attempts > 0 OR claim_id IS NOT NULL;
CREATE INDEX webhook_deliveries_claimed ON webhook_deliveries (organization_id, webhook_id, due_at)
    WHERE claim_id IS NOT NULL;

-- Every attempt. status_code and response_body, the beginning of the answer where it was no success: null without an
-- answer. error: why there was none. next_attempt_at: null after a success and after the last.
CREATE TABLE webhook_attempts (
    organization_id uuid             NOT NULL,
    attempted_at    timestamptz      NOT NULL,
    attempt_id      uuid             NOT NULL,
    webhook_id      uuid             NOT NULL,
    event_id        uuid             NOT NULL,
    event_type      text COLLATE "C" NOT NULL,
    status_code     integer,
    duration_ms     integer          NOT NULL,
    response_body   text COLLATE "C",
    error           text COLLATE "C",
    next_attempt_at timestamptz,
    CONSTRAINT webhook_attempts_pkey PRIMARY KEY (organization_id, attempted_at, attempt_id)
) PARTITION BY RANGE (attempted_at);

CREATE INDEX webhook_attempts_of_webhook ON webhook_attempts (organization_id, webhook_id, attempted_at, attempt_id);
CREATE INDEX webhook_attempts_of_event ON webhook_attempts (organization_id, event_id, attempted_at, attempt_id);

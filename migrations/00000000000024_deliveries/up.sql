-- Queued webhook deliveries, and the log of their attempts. Conventions: migrations/README.md.

-- An undelivered event of a webhook. The row is deleted after success, after the last attempt, or after its webhook.
-- event_created_at: partition time of the event.
-- position: position of the event in the feed. First attempts of a webhook start in this order.
-- attempts: number of failed attempts.
-- claim_id: claim of the current worker, which expires at due_at. Without a claim, due_at is the time of the next
-- attempt.
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

-- Untried deliveries are ordered by position, so that new ones do not wait for failed ones. All others are ordered by
-- time.
CREATE INDEX webhook_deliveries_new ON webhook_deliveries (organization_id, webhook_id, position)
    WHERE attempts = 0 AND claim_id IS NULL;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (organization_id, webhook_id, due_at, position)
    WHERE attempts > 0 OR claim_id IS NOT NULL;
CREATE INDEX webhook_deliveries_claimed ON webhook_deliveries (organization_id, webhook_id, due_at)
    WHERE claim_id IS NOT NULL;

-- All attempts. status_code and response_body (its start, except after success): null without a response. error: reason
-- for a missing response. next_attempt_at: null after a success and after the last attempt.
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

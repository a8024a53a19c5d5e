-- Log of the attempts to deliver messages of inboxes. results: recipients with the same outcome, reply and server.
-- next_attempt_at: null after the last attempt. Conventions: migrations/README.md.
CREATE TABLE delivery_attempts (
    organization_id uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    attempted_at    timestamptz      NOT NULL,
    attempt_id      uuid             NOT NULL,
    pod_id          uuid             NOT NULL,
    thread_id       uuid             NOT NULL,
    message_id      text COLLATE "C" NOT NULL,
    attempt         integer          NOT NULL,
    results         jsonb            NOT NULL,
    next_attempt_at timestamptz,
    CONSTRAINT delivery_attempts_pkey PRIMARY KEY (organization_id, inbox_id, attempted_at, attempt_id)
) PARTITION BY RANGE (attempted_at);

CREATE INDEX delivery_attempts_of_message
    ON delivery_attempts (organization_id, inbox_id, message_id, attempted_at, attempt_id);

-- Finds the events of a message without reading those of its inbox.
CREATE INDEX events_of_message ON events (organization_id, inbox_id, message_id, created_at, event_id);

-- deferral: reason of the last deferral.
ALTER TABLE outgoing ADD COLUMN deferral text COLLATE "C";

-- Label changes by callers: one row for each label that a message gained or lost. It outlives the message and is
-- deleted with the inbox. event_id sorts by time, so the order of the rows is that of their ids.
CREATE TABLE label_history (
    organization_id uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    event_at        timestamptz      NOT NULL,
    event_id        uuid             NOT NULL,
    pod_id          uuid             NOT NULL,
    message_id      text COLLATE "C" NOT NULL,
    label           text COLLATE "C" NOT NULL,
    added           boolean          NOT NULL,
    actor           jsonb            NOT NULL,
    CONSTRAINT label_history_pkey PRIMARY KEY (organization_id, inbox_id, event_at, event_id)
);

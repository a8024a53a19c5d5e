-- Operator holds: suspended organizations, paused inboxes, and the whole queue after a restore.

-- suspended_at, suspended_reason: keys of the organization only read, its mail waits, and mail to it is deferred.
-- deleted_at: nothing can act for it, and workers purge its rows.
ALTER TABLE organizations
    ADD COLUMN suspended_at     timestamptz,
    ADD COLUMN suspended_reason text COLLATE "C",
    ADD COLUMN deleted_at       timestamptz,
    ADD CONSTRAINT organizations_suspended_check CHECK ((suspended_at IS NULL) = (suspended_reason IS NULL));
CREATE INDEX organizations_deleted ON organizations (deleted_at) WHERE deleted_at IS NOT NULL;

-- paused_at: the inbox sends nothing, and mail to it is deferred.
ALTER TABLE inboxes ADD COLUMN paused_at timestamptz;

-- held_due_at: due time of a held message before the hold; due_at is then in the year 9999, beyond all claims.
ALTER TABLE outgoing ADD COLUMN held_due_at timestamptz;

-- One row for all processes on this database. secret_key_check: derived from their secret key, so that a process with
-- another one does not start. held_at: start of the hold on the queue, until an operator releases or drops the queue.
CREATE TABLE service_state (
    singleton        boolean     NOT NULL DEFAULT true,
    secret_key_check bytea,
    held_at          timestamptz,
    CONSTRAINT service_state_pkey PRIMARY KEY (singleton),
    CONSTRAINT service_state_singleton_check CHECK (singleton)
);
INSERT INTO service_state DEFAULT VALUES;

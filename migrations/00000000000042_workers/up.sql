-- Fair shares of the workers, and claims of processes that died. How to read it: migrations/README.md.

-- is_code: a code, which leaves ahead of tenants' mail. All other mail of the service, as invitations, is its
-- organization's.
ALTER TABLE outgoing ADD COLUMN is_code boolean NOT NULL DEFAULT false;
UPDATE outgoing SET is_code = true WHERE message_id IS NULL;

DROP INDEX outgoing_own_due, outgoing_due, outgoing_due_of_organization, outgoing_own_by_destination,
    outgoing_by_destination;
CREATE INDEX outgoing_own_due ON outgoing (due_at) WHERE is_code;
CREATE INDEX outgoing_due ON outgoing (due_at) WHERE NOT is_code;
CREATE INDEX outgoing_due_of_organization ON outgoing (organization_id, due_at) WHERE NOT is_code;
CREATE INDEX outgoing_own_by_destination ON outgoing (destination, due_at) WHERE is_code;
CREATE INDEX outgoing_by_destination ON outgoing (organization_id, destination, due_at) WHERE NOT is_code;

-- Processes that serve, or did. beats: a process is alive while it grows. seen_at: what its clock said at the last heartbeat.
-- The ids of claims end with the last six octets of the id of the process that made them.
CREATE TABLE processes (
    process_id uuid        NOT NULL,
    beats      bigint      NOT NULL,
    seen_at    timestamptz NOT NULL,
    CONSTRAINT processes_pkey PRIMARY KEY (process_id)
);

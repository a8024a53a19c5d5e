-- Fair shares of the workers, and claims of dead processes. Conventions: migrations/README.md.

-- is_code: a code, which precedes the mail of tenants. Other system mail, such as invitations, belongs to its
-- organization.
ALTER TABLE outgoing ADD COLUMN is_code boolean NOT NULL DEFAULT false;
UPDATE outgoing SET is_code = true WHERE message_id IS NULL;

DROP INDEX outgoing_own_due, outgoing_due, outgoing_due_of_organization, outgoing_own_by_destination,
    outgoing_by_destination;
CREATE INDEX outgoing_own_due ON outgoing (due_at) WHERE is_code;
CREATE INDEX outgoing_due ON outgoing (due_at) WHERE NOT is_code;
CREATE INDEX outgoing_due_of_organization ON outgoing (organization_id, due_at) WHERE NOT is_code;
CREATE INDEX outgoing_own_by_destination ON outgoing (destination, due_at) WHERE is_code;
CREATE INDEX outgoing_by_destination ON outgoing (organization_id, destination, due_at) WHERE NOT is_code;

-- Serving and former processes. beats: a process is alive while it grows. seen_at: its clock at the last heartbeat.
-- Claim ids end with the last six bytes of the id of their process.
CREATE TABLE processes (
    process_id uuid        NOT NULL,
    beats      bigint      NOT NULL,
    seen_at    timestamptz NOT NULL,
    CONSTRAINT processes_pkey PRIMARY KEY (process_id)
);

-- Days after which a worker deletes the messages of an inbox, and the time from which it looks for them again.
ALTER TABLE inboxes
    ADD COLUMN retention_days integer CONSTRAINT inboxes_retention_days CHECK (retention_days BETWEEN 1 AND 3650),
    ADD COLUMN retention_due_at timestamptz NOT NULL DEFAULT '-infinity';

CREATE INDEX inboxes_retention ON inboxes (organization_id, retention_due_at)
    WHERE retention_days IS NOT NULL AND deleted_at IS NULL;

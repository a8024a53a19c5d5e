ALTER TABLE inboxes DROP COLUMN retention_due_at, DROP COLUMN retention_days;

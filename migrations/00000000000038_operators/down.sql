DROP TABLE service_state;
UPDATE outgoing SET due_at = held_due_at WHERE held_due_at IS NOT NULL;
ALTER TABLE outgoing DROP COLUMN held_due_at;
ALTER TABLE inboxes DROP COLUMN paused_at;
DROP INDEX organizations_deleted;
ALTER TABLE organizations
    DROP CONSTRAINT organizations_suspended_check,
    DROP COLUMN suspended_at,
    DROP COLUMN suspended_reason,
    DROP COLUMN deleted_at;

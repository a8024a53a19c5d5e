-- Finds inboxes with held messages without reading the queue.
CREATE INDEX outgoing_held ON outgoing (organization_id, inbox_id) WHERE held_due_at IS NOT NULL AND NOT is_code;

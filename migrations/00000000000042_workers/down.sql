DROP TABLE processes;
DROP INDEX outgoing_own_due, outgoing_due, outgoing_due_of_organization, outgoing_own_by_destination,
    outgoing_by_destination;
ALTER TABLE outgoing DROP COLUMN is_code;
CREATE INDEX outgoing_own_due ON outgoing (due_at) WHERE message_id IS NULL;
CREATE INDEX outgoing_due ON outgoing (due_at) WHERE message_id IS NOT NULL;
CREATE INDEX outgoing_due_of_organization ON outgoing (organization_id, due_at) WHERE message_id IS NOT NULL;
CREATE INDEX outgoing_by_destination ON outgoing (organization_id, destination, due_at) WHERE message_id IS NOT NULL;
CREATE INDEX outgoing_own_by_destination ON outgoing (destination, due_at) WHERE message_id IS NULL;

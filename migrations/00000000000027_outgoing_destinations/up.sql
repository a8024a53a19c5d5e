-- Destinations and claim ids in the outgoing queue.

-- destination: common domain or address of all recipients; empty when the route is the same for all mail.
-- claim_id: claim of the last attempt, valid until due_at.
-- is_delay_told: whether the sender received a delay notice.
ALTER TABLE outgoing
    ADD COLUMN destination   text COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN claim_id      uuid,
    ADD COLUMN is_delay_told boolean          NOT NULL DEFAULT false;

-- Walks from destination to destination and to due mail of each.
CREATE INDEX outgoing_by_destination ON outgoing (organization_id, destination, due_at) WHERE message_id IS NOT NULL;
CREATE INDEX outgoing_own_by_destination ON outgoing (destination, due_at) WHERE message_id IS NULL;

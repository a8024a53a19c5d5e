-- The outgoing queue tells destinations apart, and claims by an id of their own.

-- destination: the domain or address that all recipients are at; empty where the way is the same for all mail.
-- claim_id: the claim under which the mail was tried last; it holds until due_at.
-- is_delay_told: whether the sender was told that the mail is late.
ALTER TABLE outgoing
    ADD COLUMN destination   text COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN claim_id      uuid,
    ADD COLUMN is_delay_told boolean          NOT NULL DEFAULT false;

-- From one destination to the next, and to what is due there.
CREATE INDEX outgoing_by_destination ON outgoing (organization_id, destination, due_at) WHERE message_id IS NOT NULL;
CREATE INDEX outgoing_own_by_destination ON outgoing (destination, due_at) WHERE message_id IS NULL;

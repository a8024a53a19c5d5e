-- Brake on the sending of organizations whose mail bounces or is reported as spam too often.
ALTER TABLE organizations
    ADD COLUMN brake text COLLATE "C",
    ADD COLUMN brake_since timestamptz,
    ADD COLUMN brake_reason text,
    -- Time from which bounces and complaints count, after an operator lifted the brake.
    ADD COLUMN brake_counts_from timestamptz,
    ADD CONSTRAINT organizations_brake CHECK (
        (brake IS NULL) = (brake_since IS NULL) AND (brake IS NULL) = (brake_reason IS NULL)
        AND brake IN ('slowed', 'held'));
CREATE INDEX organizations_slowed ON organizations (organization_id) WHERE brake = 'slowed';
-- Few events are bounces and complaints; the review of the brake reads these alone.
CREATE INDEX events_of_failures ON events (event_type, created_at, organization_id)
    WHERE event_type IN ('message.bounced', 'message.complained');

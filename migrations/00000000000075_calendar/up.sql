-- Events of inboxes, read from invitations. original_start is empty for an event as a whole, and names one date of a
-- recurring event otherwise. event_id is the public id; ends_at is infinity for an event that repeats for ever. An event
-- goes with the message that it was last read from.
CREATE TABLE calendar_events (
    organization_id   uuid             NOT NULL,
    inbox_id          text COLLATE "C" NOT NULL,
    event_id          text COLLATE "C" NOT NULL,
    series_id         uuid             NOT NULL,
    uid               text COLLATE "C" NOT NULL,
    original_start    text COLLATE "C" NOT NULL,
    origin_message_id text COLLATE "C" NOT NULL,
    content           jsonb            NOT NULL,
    starts_at         timestamptz      NOT NULL,
    ends_at           timestamptz      NOT NULL,
    created_at        timestamptz      NOT NULL,
    updated_at        timestamptz      NOT NULL,
    CONSTRAINT calendar_events_pkey PRIMARY KEY (organization_id, inbox_id, event_id)
);

CREATE UNIQUE INDEX calendar_events_by_uid ON calendar_events (organization_id, inbox_id, uid, original_start);
CREATE INDEX calendar_events_listed ON calendar_events (organization_id, inbox_id, updated_at, event_id);
CREATE INDEX calendar_events_of_message ON calendar_events (organization_id, inbox_id, origin_message_id);
CREATE INDEX calendar_events_by_end ON calendar_events (organization_id, inbox_id, ends_at);

-- What grows for ever is kept in partitions of a week, so that what has become old enough goes with its table. The program
-- makes the weeks ahead and drops the old ones (crates/postgres/src/partitions.rs); the first one holds all time before
-- the others. There is no default partition: a partition could not be detached beside one without locking the table.
ALTER TABLE events RENAME TO events_first;
ALTER TABLE events_first RENAME CONSTRAINT events_pkey TO events_first_pkey;
ALTER INDEX events_of_inbox RENAME TO events_first_of_inbox;
CREATE TABLE events (LIKE events_first) PARTITION BY RANGE (created_at);
ALTER TABLE events
    ADD CONSTRAINT events_pkey PRIMARY KEY (organization_id, created_at, event_id) INCLUDE (event_type, pod_id);
CREATE INDEX events_of_inbox ON events (organization_id, inbox_id, created_at, event_id) INCLUDE (event_type);
DO $$ BEGIN EXECUTE format(
    'ALTER TABLE events ATTACH PARTITION events_first FOR VALUES FROM (MINVALUE) TO (%L)',
    date_trunc('week', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' + interval '7 days'
); END $$;

-- The order in which readers are told of events. An event gets its place after its unit of work has committed, from
-- whoever holds the organization's head at that moment, so that nothing appears behind a reader's back: what has a place is
-- committed, and what commits later gets a later place. A unit of work that never ends delays no other.
CREATE TABLE feed (
    organization_id uuid             NOT NULL,
    sequenced_at    timestamptz      NOT NULL,
    position        bigint           NOT NULL,
    event_id        uuid             NOT NULL,
    created_at      timestamptz      NOT NULL,
    event_type      text COLLATE "C" NOT NULL,
    pod_id          uuid,
    inbox_id        text COLLATE "C",
    CONSTRAINT feed_pkey PRIMARY KEY (organization_id, sequenced_at, position)
) PARTITION BY RANGE (sequenced_at);

CREATE INDEX feed_of_event ON feed (organization_id, event_id);

-- The last place that was given in an organization. sequenced_at never runs backwards, whatever a clock does.
CREATE TABLE feed_heads (
    organization_id uuid        NOT NULL,
    sequenced_at    timestamptz NOT NULL,
    position        bigint      NOT NULL,
    CONSTRAINT feed_heads_pkey PRIMARY KEY (organization_id)
) WITH (fillfactor = 50);

-- The committed events without a place. It is nearly always empty, and is kept small for that.
CREATE TABLE feed_pending (
    organization_id uuid        NOT NULL,
    event_id        uuid        NOT NULL,
    created_at      timestamptz NOT NULL,
    CONSTRAINT feed_pending_pkey PRIMARY KEY (organization_id, event_id)
) WITH (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);

INSERT INTO feed_heads SELECT organization_id, created_at, 0 FROM organizations;
INSERT INTO feed_pending SELECT organization_id, event_id, created_at FROM events;

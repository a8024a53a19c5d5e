-- Tables of unlimited growth have weekly partitions, so that expired rows are dropped with their table. The program
-- creates future weeks and drops old ones (crates/postgres/src/partitions.rs). The first partition covers all time
-- before the others. There is no default partition, because detaching a partition next to one would lock the table.
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

-- The order of events for readers. An event gets its position after its unit of work has committed, from the process
-- that holds the head of the organization. So no event appears before a cursor: positioned events are committed, and
-- later commits get later positions. A unit of work that never ends delays no other.
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

-- The last assigned position of an organization. sequenced_at is monotonic, independent of clocks.
CREATE TABLE feed_heads (
    organization_id uuid        NOT NULL,
    sequenced_at    timestamptz NOT NULL,
    position        bigint      NOT NULL,
    CONSTRAINT feed_heads_pkey PRIMARY KEY (organization_id)
) WITH (fillfactor = 50);

-- Committed events without a position. The table is nearly always empty and stays small for that.
CREATE TABLE feed_pending (
    organization_id uuid        NOT NULL,
    event_id        uuid        NOT NULL,
    created_at      timestamptz NOT NULL,
    CONSTRAINT feed_pending_pkey PRIMARY KEY (organization_id, event_id)
) WITH (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);

INSERT INTO feed_heads SELECT organization_id, created_at, 0 FROM organizations;
INSERT INTO feed_pending SELECT organization_id, event_id, created_at FROM events;

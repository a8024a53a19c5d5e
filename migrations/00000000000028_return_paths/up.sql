-- Mail that left for the outside, by the ids that its return paths carry, so that a report about it finds its message. The
-- ids begin with their time: what is old enough is forgotten along the second index.
--
-- told has a number for each of the recipients, in their order: 1 that it is late, 2 that it failed, 4 that it was unwelcome.
CREATE TABLE return_paths (
    organization_id uuid             NOT NULL,
    outgoing_id     uuid             NOT NULL,
    pod_id          uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    thread_id       uuid             NOT NULL,
    message_id      text COLLATE "C" NOT NULL,
    recipients      text[]           NOT NULL,
    told            smallint[]       NOT NULL,
    CONSTRAINT return_paths_pkey PRIMARY KEY (organization_id, outgoing_id)
);

-- A report names nothing but the id.
CREATE INDEX return_paths_by_id ON return_paths (outgoing_id);

-- Mail that left for the outside, by the ids that its return paths carry, so that a report about it finds its message. The
-- ids begin with their time: what is old enough is forgotten along the second index.
--
-- told has a number for each of the recipients, in their order: 1 that it is late, 2 that it failed, 4 that it was unwelcome;
-- with the first, 8 that it was unwelcome to one of them who was not named.
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

-- What waits in the queue leaves later, and reports about it come back like those about any other mail.
INSERT INTO return_paths (organization_id, outgoing_id, pod_id, inbox_id, thread_id, message_id, recipients, told)
SELECT organization_id, outgoing_id, pod_id, inbox_id, thread_id, message_id, recipients,
    array_fill(0::smallint, ARRAY[cardinality(recipients)])
FROM outgoing
WHERE route = 'remote' AND message_id IS NOT NULL;

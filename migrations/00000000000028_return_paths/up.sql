-- Mail sent to external recipients, by the ids in its return paths, so that a report finds its message. The ids start
-- with their time, so old rows are purged along the second index.
--
-- told has a bit set for each recipient, in their order: 1 delayed, 2 failed, 4 complained. The first one has also 8: a
-- complaint of an unnamed recipient.
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

-- A report contains only the id.
CREATE INDEX return_paths_by_id ON return_paths (outgoing_id);

-- Queued mail is sent later, and reports about it arrive as for other mail.
INSERT INTO return_paths (organization_id, outgoing_id, pod_id, inbox_id, thread_id, message_id, recipients, told)
SELECT organization_id, outgoing_id, pod_id, inbox_id, thread_id, message_id, recipients,
    array_fill(0::smallint, ARRAY[cardinality(recipients)])
FROM outgoing
WHERE route = 'remote' AND message_id IS NOT NULL;

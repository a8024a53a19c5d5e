-- The index behind searches. What it says is found out from messages and message_bodies alone, so that it can be dropped
-- and made anew.

-- The messages that no segment knows yet; a search reads their texts. A row comes with its message, and again whenever the
-- hiding labels of the message change; it goes in the unit of work that puts the message into a segment. The same message
-- may come twice.
--
-- Rows live for seconds. Those of an hour lie in no order, so that new rows fall among old ones and the index gives their
-- room away again: in the order of time, a search would pass over everything that ever was before the last cleaning.
CREATE TABLE search_pending (
    organization_id uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    hidden          smallint         NOT NULL,
    hour            timestamptz      NOT NULL
        GENERATED ALWAYS AS (date_bin(interval '1 hour', timestamp, timestamptz '2000-01-01 00:00:00+00')) STORED,
    pending_id      uuid             NOT NULL DEFAULT gen_random_uuid(),
    timestamp       timestamptz      NOT NULL,
    message_id      text COLLATE "C" NOT NULL,
    CONSTRAINT search_pending_pkey PRIMARY KEY (organization_id, inbox_id, hidden, hour, pending_id)
);

-- A segment: up to 30,000 messages of an inbox that had the same hiding labels when they came into it. octets: those of its
-- blocks. fences: the time of the first message of each of its rows in search_documents.
CREATE TABLE search_segments (
    organization_id uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    hidden          smallint         NOT NULL,
    segment_id      uuid             NOT NULL,
    documents       integer          NOT NULL,
    octets          bigint           NOT NULL,
    oldest          timestamptz      NOT NULL,
    newest          timestamptz      NOT NULL,
    fences          timestamptz[]    NOT NULL,
    CONSTRAINT search_segments_pkey PRIMARY KEY (organization_id, inbox_id, hidden, segment_id)
);

-- 64 messages of a segment, in the order of their times. Message-IDs hardly pack, and what is packed takes longer to read.
CREATE TABLE search_documents (
    organization_id uuid               NOT NULL,
    segment_id      uuid               NOT NULL,
    first_document  integer            NOT NULL,
    timestamps      timestamptz[]      NOT NULL,
    message_ids     text[] COLLATE "C" NOT NULL,
    CONSTRAINT search_documents_pkey PRIMARY KEY (organization_id, segment_id, first_document)
) WITH (toast_tuple_target = 8160);
ALTER TABLE search_documents ALTER COLUMN message_ids SET STORAGE EXTERNAL;

-- Lists of messages by what four characters follow one another in them. A block fits a page twice, and is packed already.
CREATE TABLE search_blocks (
    organization_id uuid   NOT NULL,
    segment_id      uuid   NOT NULL,
    first_gram      bigint NOT NULL,
    block           bytea  NOT NULL,
    CONSTRAINT search_blocks_pkey PRIMARY KEY (organization_id, segment_id, first_gram)
);
ALTER TABLE search_blocks ALTER COLUMN block SET STORAGE PLAIN;

-- What was there before is pending, and so found as it was.
INSERT INTO search_pending (organization_id, inbox_id, hidden, timestamp, message_id)
SELECT m.organization_id, m.inbox_id, m.hidden, m.timestamp, m.message_id
FROM messages m JOIN inboxes i USING (organization_id, inbox_id) WHERE i.deleted_at IS NULL;

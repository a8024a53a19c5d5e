-- The search index. It derives from messages and message_bodies alone, so it can be dropped and rebuilt.

-- Messages in no segment; a search reads their texts. A row is inserted with its message, and again when the hiding
-- labels of the message change. The unit of work that adds the message to a segment deletes it. A message may occur
-- twice.
--
-- Rows live for seconds. Rows of one hour have random order, so that new rows fall between old ones and the index
-- reuses its space. In time order, a search would skip all dead entries since the last vacuum.
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

-- A segment: up to 30,000 messages of an inbox with equal hiding labels at their insertion. octets: size of its blocks.
-- fences: time of the first message of each of its rows in search_documents.
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

-- 64 messages of a segment in order of time. Message-IDs compress badly, and decompression takes time.
CREATE TABLE search_documents (
    organization_id uuid               NOT NULL,
    segment_id      uuid               NOT NULL,
    first_document  integer            NOT NULL,
    timestamps      timestamptz[]      NOT NULL,
    message_ids     text[] COLLATE "C" NOT NULL,
    CONSTRAINT search_documents_pkey PRIMARY KEY (organization_id, segment_id, first_document)
) WITH (toast_tuple_target = 8160);
ALTER TABLE search_documents ALTER COLUMN message_ids SET STORAGE EXTERNAL;

-- Posting lists by n-gram of four characters. Two blocks fit on a page and are already compressed.
CREATE TABLE search_blocks (
    organization_id uuid   NOT NULL,
    segment_id      uuid   NOT NULL,
    first_gram      bigint NOT NULL,
    block           bytea  NOT NULL,
    CONSTRAINT search_blocks_pkey PRIMARY KEY (organization_id, segment_id, first_gram)
);
ALTER TABLE search_blocks ALTER COLUMN block SET STORAGE PLAIN;

-- Existing messages become pending, so searches find them as before.
INSERT INTO search_pending (organization_id, inbox_id, hidden, timestamp, message_id)
SELECT m.organization_id, m.inbox_id, m.hidden, m.timestamp, m.message_id
FROM messages m JOIN inboxes i USING (organization_id, inbox_id) WHERE i.deleted_at IS NULL;

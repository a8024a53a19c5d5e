-- First reads of messages by members, connections and API keys. reader_id: id of the connection, member or key. part: message,
-- raw or attachment. Conventions: migrations/README.md.
CREATE TABLE first_reads (
    organization_id uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    message_id      text COLLATE "C" NOT NULL,
    reader_id       text COLLATE "C" NOT NULL,
    read_at         timestamptz      NOT NULL,
    read_id         uuid             NOT NULL,
    reader          jsonb            NOT NULL,
    part            text COLLATE "C" NOT NULL,
    CONSTRAINT first_reads_pkey PRIMARY KEY (organization_id, inbox_id, message_id, reader_id)
);

CREATE INDEX first_reads_of_inbox ON first_reads (organization_id, inbox_id, read_at, read_id);
CREATE INDEX first_reads_expiry ON first_reads (read_at);

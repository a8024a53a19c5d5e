-- Time of the redaction of a message, which has no content any more.
ALTER TABLE messages ADD COLUMN redacted_at timestamptz;
-- Message of a captured copy, so that its redaction deletes the copy. Service messages have none.
ALTER TABLE captured
    ADD COLUMN organization_id uuid,
    ADD COLUMN inbox_id        text COLLATE "C",
    ADD COLUMN message_id      text COLLATE "C";

-- Segments without a row in search_segments: incomplete ones, and replaced ones whose blocks are being deleted. The
-- merging process has them until a time, after which another one may delete their blocks.
CREATE TABLE search_unlisted (
    organization_id uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    segment_id      uuid             NOT NULL,
    until           timestamptz      NOT NULL,
    CONSTRAINT search_unlisted_pkey PRIMARY KEY (organization_id, inbox_id, segment_id)
);

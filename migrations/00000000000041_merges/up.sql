-- Segments that no row of search_segments names: one that is being made, or one that was replaced and whose blocks go. Whoever
-- merges has them until a time; behind it, another may remove their blocks.
CREATE TABLE search_unlisted (
    organization_id uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    segment_id      uuid             NOT NULL,
    until           timestamptz      NOT NULL,
    CONSTRAINT search_unlisted_pkey PRIMARY KEY (organization_id, inbox_id, segment_id)
);

-- Legal holds: while one is in force, nothing of its inbox is deleted. An empty inbox_id means the whole organization.
CREATE TABLE legal_holds (
    organization_id uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    reason          text             NOT NULL,
    placed_by       jsonb            NOT NULL,
    placed_at       timestamptz      NOT NULL,
    CONSTRAINT legal_holds_pkey PRIMARY KEY (organization_id, inbox_id)
);

-- Keys that sign mail, beside the one that every custom domain is born with (domains.dkim_key, selector "inboxd"). How to
-- read it: migrations/README.md. organization_id is nil for the service's own domains: they are the operator's.
-- sealed_key: PKCS#8, sealed by the vault for the name and the selector; empty once the key is retired.
-- state: "next" until its record stands in DNS, "active" while it signs, "retired" while mail on its way needs it.
CREATE TABLE dkim_keys (
    organization_id uuid             NOT NULL,
    name            text COLLATE "C" NOT NULL,
    selector        text COLLATE "C" NOT NULL,
    sealed_key      bytea            NOT NULL,
    public_key      text COLLATE "C" NOT NULL,
    state           text COLLATE "C" NOT NULL,
    changed_at      timestamptz      NOT NULL,
    CONSTRAINT dkim_keys_pkey PRIMARY KEY (organization_id, name, selector)
);

-- One key signs at a time, and one waits: several processes agree on which.
CREATE UNIQUE INDEX dkim_keys_state_key ON dkim_keys (organization_id, name, state) WHERE state <> 'retired';

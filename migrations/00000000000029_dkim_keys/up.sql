-- Signing keys, in addition to the first one of each custom domain (domains.dkim_key, selector "inboxd"). Conventions:
-- migrations/README.md. organization_id is nil for the domains of the service, which belong to the operator.
-- sealed_key: PKCS#8, encrypted by the vault for name and selector; empty after the key is retired.
-- state: "next" until its record is published, "active" while it signs, "retired" while mail in transit needs it.
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

-- At most one active and one next key: several processes agree on them.
CREATE UNIQUE INDEX dkim_keys_state_key ON dkim_keys (organization_id, name, state) WHERE state <> 'retired';

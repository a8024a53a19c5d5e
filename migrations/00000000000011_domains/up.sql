-- Custom domains. Conventions: migrations/README.md.

-- Claimed names: at most one organization has each. Unique in the whole service, so the key has no organization.
CREATE TABLE proven_domains (
    name            text COLLATE "C" NOT NULL,
    organization_id uuid             NOT NULL,
    domain_id       uuid             NOT NULL,
    CONSTRAINT proven_domains_pkey PRIMARY KEY (name)
);

-- A deleted domain retains its row for its client_id, but not its key. No pod: it belongs to the whole organization.
-- dkim_key: PKCS#8, encrypted by the vault for the id of the domain.
CREATE TABLE domains (
    organization_id    uuid             NOT NULL,
    domain_id          uuid             NOT NULL,
    pod_id             uuid,
    client_id          text COLLATE "C",
    name               text COLLATE "C" NOT NULL,
    status             text COLLATE "C" NOT NULL,
    feedback_enabled   boolean          NOT NULL,
    subdomains_enabled boolean          NOT NULL,
    records            jsonb            NOT NULL,
    dkim_key           bytea,
    verified_at        timestamptz,
    created_at         timestamptz      NOT NULL,
    updated_at         timestamptz      NOT NULL,
    deleted_at         timestamptz,
    CONSTRAINT domains_pkey PRIMARY KEY (organization_id, domain_id),
    CONSTRAINT domains_key_check CHECK ((dkim_key IS NULL) = (deleted_at IS NOT NULL))
);

CREATE UNIQUE INDEX domains_name_key ON domains (organization_id, name) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX domains_client_id_key ON domains (organization_id, client_id) WHERE client_id IS NOT NULL;
CREATE INDEX domains_list ON domains (organization_id, created_at, domain_id) WHERE deleted_at IS NULL;

-- An event about a domain has no inbox, thread or message, and a pod only when the domain belongs to one.
ALTER TABLE events
    ALTER COLUMN pod_id DROP NOT NULL,
    ALTER COLUMN inbox_id DROP NOT NULL,
    ALTER COLUMN thread_id DROP NOT NULL,
    ALTER COLUMN message_id DROP NOT NULL;

-- Entries of allow and block lists. scope: empty for the organization, the id of a pod, or the address of an inbox.
-- entry is in normal form: an address, or a domain, which covers its subdomains.
CREATE TABLE list_entries (
    organization_id uuid             NOT NULL,
    scope           text COLLATE "C" NOT NULL,
    direction       text COLLATE "C" NOT NULL,
    list_type       text COLLATE "C" NOT NULL,
    entry           text COLLATE "C" NOT NULL,
    reason          text COLLATE "C",
    created_at      timestamptz      NOT NULL,
    CONSTRAINT list_entries_pkey PRIMARY KEY (organization_id, scope, direction, list_type, entry)
);

CREATE INDEX suppressions_list ON suppressions (organization_id, created_at, address);

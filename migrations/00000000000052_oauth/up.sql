-- OAuth 2.1: browser sessions, clients, connections and their tokens. Access tokens are rows of api_keys.

-- Sessions of browsers, by the SHA-256 of their token. They precede the organization: a session proves an address.
CREATE TABLE browser_sessions (
    token_hash bytea            NOT NULL,
    email      text COLLATE "C" NOT NULL,
    created_at timestamptz      NOT NULL,
    used_at    timestamptz      NOT NULL,
    expires_at timestamptz      NOT NULL,
    CONSTRAINT browser_sessions_pkey PRIMARY KEY (token_hash)
);

CREATE INDEX browser_sessions_of_address ON browser_sessions (email, created_at);
CREATE INDEX browser_sessions_over ON browser_sessions (expires_at);

-- Whether a code is mailed to an address without an account too.
ALTER TABLE sign_in_codes ADD COLUMN mails_newcomers boolean NOT NULL DEFAULT false;

-- Clients, which belong to no organization. used_at: last consent, null before the first. cached_until: validity of the
-- fetched metadata document.
CREATE TABLE oauth_clients (
    client_id     text COLLATE "C"   NOT NULL,
    source        text COLLATE "C"   NOT NULL,
    name          text COLLATE "C"   NOT NULL,
    redirect_uris text[]             NOT NULL,
    auth_method   text COLLATE "C"   NOT NULL,
    secret_hash   bytea,
    created_at    timestamptz        NOT NULL,
    used_at       timestamptz,
    cached_until  timestamptz,
    CONSTRAINT oauth_clients_pkey PRIMARY KEY (client_id),
    CONSTRAINT oauth_clients_source_check CHECK (source IN ('registered', 'document'))
);

CREATE INDEX oauth_clients_unused ON oauth_clients (source, created_at) WHERE used_at IS NULL;
CREATE INDEX oauth_clients_used ON oauth_clients (greatest(created_at, used_at));

-- Connections. used_at: null until the client exchanges its code. inbox_ids: inboxes that limit the connection; empty
-- means no limit beside that of the member.
CREATE TABLE oauth_grants (
    organization_id uuid             NOT NULL,
    connection_id   uuid             NOT NULL,
    member_id       uuid             NOT NULL,
    client_id       text COLLATE "C" NOT NULL,
    client_name     text COLLATE "C" NOT NULL,
    redirect_host   text COLLATE "C" NOT NULL,
    permissions     jsonb            NOT NULL,
    inbox_ids       text[]           NOT NULL,
    resource        text COLLATE "C" NOT NULL,
    created_at      timestamptz      NOT NULL,
    updated_at      timestamptz      NOT NULL,
    used_at         timestamptz,
    expires_at      timestamptz      NOT NULL,
    revoked_at      timestamptz,
    CONSTRAINT oauth_grants_pkey PRIMARY KEY (organization_id, connection_id)
);

CREATE INDEX oauth_grants_list ON oauth_grants (organization_id, created_at, connection_id)
    WHERE revoked_at IS NULL AND used_at IS NOT NULL;
CREATE INDEX oauth_grants_of_member ON oauth_grants (organization_id, member_id, created_at, connection_id)
    WHERE revoked_at IS NULL;
CREATE INDEX oauth_grants_of_client ON oauth_grants (client_id);
-- Rows that can be purged: without an exchanged code, ended, and without a use.
CREATE INDEX oauth_grants_unused ON oauth_grants (created_at) WHERE used_at IS NULL;
CREATE INDEX oauth_grants_over ON oauth_grants (least(expires_at, revoked_at));
CREATE INDEX oauth_grants_used ON oauth_grants (used_at);

-- A directory of authorization codes by their SHA-256. A used code stays for a day, so that its second use is recognized.
CREATE TABLE oauth_codes (
    code_hash       bytea            NOT NULL,
    organization_id uuid             NOT NULL,
    connection_id   uuid             NOT NULL,
    redirect_uri    text COLLATE "C" NOT NULL,
    challenge       text COLLATE "C" NOT NULL,
    expires_at      timestamptz      NOT NULL,
    used_at         timestamptz,
    CONSTRAINT oauth_codes_pkey PRIMARY KEY (code_hash)
);

CREATE INDEX oauth_codes_over ON oauth_codes (expires_at);

-- The current refresh tokens of a connection and their immediate predecessors, by their SHA-256. parent_hash: the token
-- that this one replaced. retired_at: first use.
CREATE TABLE oauth_refresh_tokens (
    organization_id uuid        NOT NULL,
    connection_id   uuid        NOT NULL,
    token_hash      bytea       NOT NULL,
    parent_hash     bytea,
    created_at      timestamptz NOT NULL,
    retired_at      timestamptz,
    expires_at      timestamptz NOT NULL,
    CONSTRAINT oauth_refresh_tokens_pkey PRIMARY KEY (organization_id, connection_id, token_hash)
);

CREATE INDEX oauth_refresh_tokens_over ON oauth_refresh_tokens (expires_at);

-- Connection of an access token. Its member_id is set too.
ALTER TABLE api_keys ADD COLUMN connection_id uuid;

CREATE INDEX api_keys_of_connection ON api_keys (organization_id, connection_id, created_at)
    WHERE connection_id IS NOT NULL;
-- The list of keys has no access tokens.
DROP INDEX api_keys_list;
CREATE INDEX api_keys_list ON api_keys (organization_id, created_at, api_key_id)
    WHERE revoked_at IS NULL AND connection_id IS NULL;
-- Access tokens that can be purged, and their hashes.
CREATE INDEX api_keys_tokens_over ON api_keys (expires_at) WHERE connection_id IS NOT NULL;
CREATE INDEX api_key_hashes_of_key ON api_key_hashes (organization_id, api_key_id);

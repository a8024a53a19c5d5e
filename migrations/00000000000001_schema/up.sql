-- The schema of the first release. Rules and conventions: migrations/README.md.
--
-- The comment of a table describes a row and its deletion. In addition, the purge of a removed organization deletes all its
-- rows (crates/postgres/src/removal.rs), and the purge of a deleted inbox those of the inbox
-- (crates/postgres/src/inboxes/purge.rs).
--
-- A CHECK names the words of each closed set, as the program writes them. Kinds of events and of audited changes are open
-- sets: every release adds some. Sums of changes (inbox_usage and its samples) have no CHECK: their upsert inserts a
-- negative change before it finds the row that it adds to, and an inexact sum must refuse no mail and no deletion.

-- ---------------------------------------------------------------------------------------------------------------------
-- Service: one row for all processes, and the processes themselves

-- The service of this database. secret_key_check: derived from the secret key of the processes, so that one with another
-- key does not start. held_at: start of the hold on the queue, until an operator releases or drops the queue.
CREATE TABLE service_state (
    singleton        boolean     NOT NULL DEFAULT true,
    secret_key_check bytea,
    held_at          timestamptz,
    CONSTRAINT service_state_pkey PRIMARY KEY (singleton),
    CONSTRAINT service_state_singleton_check CHECK (singleton)
);
INSERT INTO service_state DEFAULT VALUES;

-- A serving or former process, deleted when its claims are released. beats: a process is alive while it grows. seen_at: its
-- clock at the last heartbeat. Claim ids end with the last six bytes of the id of their process.
CREATE TABLE processes (
    process_id uuid        NOT NULL,
    beats      bigint      NOT NULL,
    seen_at    timestamptz NOT NULL,
    CONSTRAINT processes_pkey PRIMARY KEY (process_id),
    CONSTRAINT processes_beats_check CHECK (beats >= 0)
);

-- An ACME account (RFC 8555), by the URL of the directory. credentials: encrypted by the vault, so another secret key
-- deletes the row.
CREATE TABLE acme_accounts (
    directory   text COLLATE "C" NOT NULL,
    credentials bytea            NOT NULL,
    created_at  timestamptz      NOT NULL,
    CONSTRAINT acme_accounts_pkey PRIMARY KEY (directory)
);

-- A certificate by directory and names (sorted, separated by commas), with the state of its orders. Another secret key
-- deletes it. private_key: encrypted by the vault. claimed_by: the process that orders, until claimed_until.
CREATE TABLE acme_certificates (
    directory     text COLLATE "C" NOT NULL,
    names         text COLLATE "C" NOT NULL,
    chain         text COLLATE "C",
    private_key   bytea,
    valid_from    timestamptz,
    valid_until   timestamptz,
    renew_at      timestamptz,
    check_at      timestamptz,
    failures      integer          NOT NULL DEFAULT 0,
    failure       text COLLATE "C",
    retry_at      timestamptz,
    claimed_by    uuid,
    claimed_until timestamptz,
    CONSTRAINT acme_certificates_pkey PRIMARY KEY (directory, names),
    CONSTRAINT acme_certificates_failures_check CHECK (failures >= 0)
);

-- A challenge of an order in progress, to which every process responds. The next challenge deletes expired ones.
CREATE TABLE acme_challenges (
    token             text COLLATE "C" NOT NULL,
    name              text COLLATE "C" NOT NULL,
    key_authorization text COLLATE "C" NOT NULL,
    expires_at        timestamptz      NOT NULL,
    CONSTRAINT acme_challenges_pkey PRIMARY KEY (token)
);

-- The MTA-STS policy of a domain (RFC 8461), shared by all processes. Expired ones and those beyond the capacity of the
-- cache are evicted. bytes: size of the row in the cache. used_at: last use, at most a day old.
CREATE TABLE sts_policies (
    domain     text COLLATE "C"   NOT NULL,
    policy_id  text COLLATE "C"   NOT NULL,
    mode       text COLLATE "C"   NOT NULL,
    hosts      text[] COLLATE "C" NOT NULL,
    bytes      bigint             NOT NULL,
    fetched_at timestamptz        NOT NULL,
    expires_at timestamptz        NOT NULL,
    used_at    timestamptz        NOT NULL,
    CONSTRAINT sts_policies_pkey PRIMARY KEY (domain),
    CONSTRAINT sts_policies_mode_check CHECK (mode IN ('enforce', 'testing', 'none')),
    CONSTRAINT sts_policies_bytes_check CHECK (bytes >= 0)
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Organizations and pods

-- An organization. default_pod_id: pod of inboxes that name none. owner_email: null for one that signed up without an
-- address. owner_changes: replacements of that address before it was confirmed. suspended_at: from then on keys of the
-- organization only read, its mail waits, and mail to it is deferred. removed_at: from then on no key, sign-in or mail has
-- access to it; its rows are purged in batches, this one last. quarantine: treatment of received mail that shows signs of
-- an attack. brake: limit on the sending of an organization whose mail bounces or is reported as spam too often.
-- brake_counts_from: time from which bounces and complaints count, after an operator lifted the brake.
CREATE TABLE organizations (
    organization_id   uuid             NOT NULL,
    owner_email       text COLLATE "C",
    plan              text COLLATE "C" NOT NULL,
    verified_at       timestamptz,
    default_pod_id    uuid             NOT NULL,
    created_at        timestamptz      NOT NULL,
    updated_at        timestamptz      NOT NULL,
    removed_at        timestamptz,
    suspended_at      timestamptz,
    suspended_reason  text COLLATE "C",
    quarantine        text COLLATE "C" NOT NULL DEFAULT 'off',
    owner_changes     integer          NOT NULL DEFAULT 0,
    brake             text COLLATE "C",
    brake_since       timestamptz,
    brake_reason      text,
    brake_counts_from timestamptz,
    CONSTRAINT organizations_pkey PRIMARY KEY (organization_id),
    CONSTRAINT organizations_plan_check CHECK (plan IN ('free', 'startup', 'business', 'enterprise')),
    CONSTRAINT organizations_quarantine_check CHECK (quarantine IN ('off', 'monitor', 'hold')),
    CONSTRAINT organizations_owner_changes_check CHECK (owner_changes >= 0),
    CONSTRAINT organizations_suspended_check CHECK ((suspended_at IS NULL) = (suspended_reason IS NULL)),
    CONSTRAINT organizations_brake CHECK (
        (brake IS NULL) = (brake_since IS NULL) AND (brake IS NULL) = (brake_reason IS NULL)
        AND brake IN ('slowed', 'held'))
);

CREATE INDEX organizations_unconfirmed ON organizations (created_at) WHERE verified_at IS NULL AND removed_at IS NULL;
CREATE INDEX organizations_removed ON organizations (removed_at) WHERE removed_at IS NOT NULL;
CREATE INDEX organizations_slowed ON organizations (organization_id) WHERE brake = 'slowed';

-- A directory of the owner addresses of organizations, in normal form. A removal deletes the row, and so does another
-- organization that confirms an address that this one never confirmed.
CREATE TABLE owner_emails (
    email           text COLLATE "C" NOT NULL,
    organization_id uuid             NOT NULL,
    CONSTRAINT owner_emails_pkey PRIMARY KEY (email)
);

-- Rows of a removed organization.
CREATE INDEX owner_emails_organization ON owner_emails (organization_id);

-- The code of an organization that confirms its owner address; its use deletes the row. sign_up_network: network of the
-- client that signed up; the mail with the code names it.
CREATE TABLE verification_codes (
    organization_id uuid             NOT NULL,
    code_hash       bytea            NOT NULL,
    expires_at      timestamptz      NOT NULL,
    attempts        integer          NOT NULL,
    sign_up_network text COLLATE "C",
    CONSTRAINT verification_codes_pkey PRIMARY KEY (organization_id),
    CONSTRAINT verification_codes_attempts_check CHECK (attempts >= 0)
);

-- An unused invitation of the operator to sign up, by SHA-256. Its use deletes it, and the next invitation expired ones.
CREATE TABLE sign_up_invitations (
    invitation_hash bytea       NOT NULL,
    created_at      timestamptz NOT NULL,
    expires_at      timestamptz NOT NULL,
    CONSTRAINT sign_up_invitations_pkey PRIMARY KEY (invitation_hash)
);

-- A pod. A deleted pod retains its row, for its client_id. quarantine: its own, or NULL; of those of the organization, the pod
-- and the inbox the strictest one applies.
CREATE TABLE pods (
    organization_id uuid             NOT NULL,
    pod_id          uuid             NOT NULL,
    name            text COLLATE "C" NOT NULL,
    created_at      timestamptz      NOT NULL,
    updated_at      timestamptz      NOT NULL,
    client_id       text COLLATE "C",
    deleted_at      timestamptz,
    quarantine      text COLLATE "C",
    CONSTRAINT pods_pkey PRIMARY KEY (organization_id, pod_id),
    CONSTRAINT pods_quarantine_check CHECK (quarantine IN ('off', 'monitor', 'hold'))
);

CREATE UNIQUE INDEX pods_client_id_key ON pods (organization_id, client_id) WHERE client_id IS NOT NULL;
CREATE INDEX pods_list ON pods (organization_id, created_at, pod_id) WHERE deleted_at IS NULL;

-- A client_id that has created a draft, a note, a list entry, an API key or a webhook, with the id of that resource. The
-- row outlives it.
CREATE TABLE client_ids (
    organization_id uuid             NOT NULL,
    client_id       text COLLATE "C" NOT NULL,
    made            text COLLATE "C" NOT NULL,
    kind            text COLLATE "C" NOT NULL,
    CONSTRAINT client_ids_pkey PRIMARY KEY (organization_id, kind, client_id),
    CONSTRAINT client_ids_kind_check CHECK (kind IN ('api_key', 'draft', 'list_entry', 'note', 'webhook'))
);

-- The creations of an organization on a day in UTC, of all rows that outlive deletion: addresses, keys, pods, domains,
-- client_ids. The first creation of a later day deletes the row.
CREATE TABLE creation_counts (
    organization_id uuid   NOT NULL,
    day             date   NOT NULL,
    count           bigint NOT NULL,
    CONSTRAINT creation_counts_pkey PRIMARY KEY (organization_id, day),
    CONSTRAINT creation_counts_count_check CHECK (count >= 0)
);

-- The recent system mail to a mailbox, or by an organization: a directory. Each mail counts for an hour and for a day
-- divided by their limits, one after another; hour_until and day_until are the ends of the last ones. A worker deletes
-- ended rows.
CREATE TABLE mail_quotas (
    subject    text COLLATE "C" NOT NULL,
    hour_until timestamptz      NOT NULL,
    day_until  timestamptz      NOT NULL,
    CONSTRAINT mail_quotas_pkey PRIMARY KEY (subject)
);

CREATE INDEX mail_quotas_over ON mail_quotas (day_until);

-- A recorded change, of a key, a member or a policy for example, written in the transaction of the change. actor_id: id of
-- a member or key, or the name of another author. before and after: facts without secrets. A worker deletes the row after the
-- retention.
CREATE TABLE audit_log (
    organization_id uuid             NOT NULL,
    created_at      timestamptz      NOT NULL,
    entry_id        uuid             NOT NULL,
    action          text COLLATE "C" NOT NULL,
    resource_type   text COLLATE "C" NOT NULL,
    resource_id     text COLLATE "C" NOT NULL,
    actor_id        text COLLATE "C" NOT NULL,
    actor           jsonb            NOT NULL,
    client_address  text COLLATE "C",
    before          jsonb,
    after           jsonb,
    CONSTRAINT audit_log_pkey PRIMARY KEY (organization_id, created_at, entry_id)
);

CREATE INDEX audit_log_of_actor ON audit_log (organization_id, actor_id, created_at, entry_id);
CREATE INDEX audit_log_of_action ON audit_log (organization_id, action, created_at, entry_id);
CREATE INDEX audit_log_of_resource ON audit_log (organization_id, resource_id, created_at, entry_id);
CREATE INDEX audit_log_expiry ON audit_log (created_at);

-- Rows are never changed. They are deleted by the purge after the retention, which says so in its transaction, and with
-- the rest of a removed organization.
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND (
        current_setting('inboxd.purges_audit_log', true) = 'on'
        OR EXISTS (SELECT FROM organizations
            WHERE organization_id = OLD.organization_id AND removed_at IS NOT NULL))
    THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'the audit log is append-only';
END
$$;

CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON audit_log
    FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

-- ---------------------------------------------------------------------------------------------------------------------
-- Keys, members and sign-in

-- A directory of API keys by their SHA-256; the row in api_keys says whether the key is valid. It goes with an expired
-- access token.
CREATE TABLE api_key_hashes (
    hash            bytea NOT NULL,
    organization_id uuid  NOT NULL,
    api_key_id      uuid  NOT NULL,
    CONSTRAINT api_key_hashes_pkey PRIMARY KEY (hash)
);

-- Rows of a removed organization.
CREATE INDEX api_key_hashes_organization ON api_key_hashes (organization_id);
CREATE INDEX api_key_hashes_of_key ON api_key_hashes (organization_id, api_key_id);

-- An API key, a sign-in key or an access token. No pod and no inbox: the key has organization scope. A pod alone: pod
-- scope. Both: inbox scope. member_id: the member of a sign-in key or of a connection; null for a key that acts for the
-- organization. connection_id: the connection of an access token. A revoked key retains its row; a worker deletes expired
-- access tokens.
CREATE TABLE api_keys (
    organization_id uuid             NOT NULL,
    api_key_id      uuid             NOT NULL,
    prefix          text COLLATE "C" NOT NULL,
    name            text COLLATE "C" NOT NULL,
    pod_id          uuid,
    inbox_id        text COLLATE "C",
    permissions     jsonb,
    expires_at      timestamptz,
    used_at         timestamptz,
    revoked_at      timestamptz,
    created_at      timestamptz      NOT NULL,
    updated_at      timestamptz      NOT NULL,
    member_id       uuid,
    connection_id   uuid,
    CONSTRAINT api_keys_pkey PRIMARY KEY (organization_id, api_key_id),
    CONSTRAINT api_keys_reach_check CHECK (inbox_id IS NULL OR pod_id IS NOT NULL)
);

CREATE INDEX api_keys_of_inbox ON api_keys (organization_id, inbox_id, created_at, api_key_id)
    WHERE revoked_at IS NULL AND inbox_id IS NOT NULL;
CREATE INDEX api_keys_of_member ON api_keys (organization_id, member_id) WHERE member_id IS NOT NULL;
CREATE INDEX api_keys_of_pod ON api_keys (organization_id, pod_id, created_at, api_key_id)
    WHERE revoked_at IS NULL AND pod_id IS NOT NULL;
CREATE INDEX api_keys_of_connection ON api_keys (organization_id, connection_id, created_at)
    WHERE connection_id IS NOT NULL;
-- The list of keys has no access tokens.
CREATE INDEX api_keys_list ON api_keys (organization_id, created_at, api_key_id)
    WHERE revoked_at IS NULL AND connection_id IS NULL;
-- Access tokens that can be purged.
CREATE INDEX api_keys_tokens_over ON api_keys (expires_at) WHERE connection_id IS NOT NULL;

-- A member or an invitation. A removed member retains its row, for its client_id and as a record. joined_at: when the
-- invitation became a membership. inbox_ids: inboxes that limit the member; empty means no limit.
CREATE TABLE members (
    organization_id uuid             NOT NULL,
    member_id       uuid             NOT NULL,
    email           text COLLATE "C" NOT NULL,
    name            text COLLATE "C" NOT NULL,
    role            text COLLATE "C" NOT NULL,
    inbox_ids       text[]           NOT NULL,
    client_id       text COLLATE "C",
    joined_at       timestamptz,
    removed_at      timestamptz,
    created_at      timestamptz      NOT NULL,
    updated_at      timestamptz      NOT NULL,
    CONSTRAINT members_pkey PRIMARY KEY (organization_id, member_id),
    CONSTRAINT members_role_check CHECK (role IN ('owner', 'admin', 'member'))
);

CREATE INDEX members_list ON members (organization_id, created_at, member_id) WHERE removed_at IS NULL;
CREATE UNIQUE INDEX members_client_id_key ON members (organization_id, client_id) WHERE client_id IS NOT NULL;
-- A replaced owner is a removed member, beside another owner.
CREATE UNIQUE INDEX members_owner_key ON members (organization_id) WHERE role = 'owner' AND removed_at IS NULL;

-- A directory of the memberships and invitations of an address in normal form. The row is deleted with the member.
CREATE TABLE member_emails (
    email           text COLLATE "C" NOT NULL,
    organization_id uuid             NOT NULL,
    member_id       uuid             NOT NULL,
    CONSTRAINT member_emails_pkey PRIMARY KEY (email, organization_id)
);

-- Rows of a removed organization.
CREATE INDEX member_emails_organization ON member_emails (organization_id);

-- A directory of the last code of an address in normal form, whether or not the address is known. The digits are not
-- stored: they derive from the nonce and the secret of the service. Codes and wrong codes are counted, so that no address
-- is locked out of signing in, and codes cannot be guessed. mail_due_at: due time of the mail, null when it was mailed or
-- is not needed. asked: number of codes requested since asked_since. asked_at: time of the last code. guesses_until: time
-- at which the last wrong code for the address stops counting, for any code. mails_newcomers: whether a code is mailed to
-- an address without an account too. A worker deletes rows whose times are over.
CREATE TABLE sign_in_codes (
    email           text COLLATE "C" NOT NULL,
    nonce           bytea            NOT NULL,
    expires_at      timestamptz      NOT NULL,
    attempts        integer          NOT NULL,
    mail_due_at     timestamptz,
    asked_since     timestamptz      NOT NULL,
    asked           integer          NOT NULL,
    asked_at        timestamptz,
    guesses_until   timestamptz,
    mails_newcomers boolean          NOT NULL DEFAULT false,
    CONSTRAINT sign_in_codes_pkey PRIMARY KEY (email),
    CONSTRAINT sign_in_codes_counts_check CHECK (attempts >= 0 AND asked >= 0)
);

CREATE INDEX sign_in_codes_due ON sign_in_codes (mail_due_at) WHERE mail_due_at IS NOT NULL;
-- Rows that can be purged.
CREATE INDEX sign_in_codes_over ON sign_in_codes (greatest(expires_at, guesses_until));

-- A session of a browser, by the SHA-256 of its token. It precedes the organization: a session proves an address. Signing
-- out deletes it, a worker expired ones, and a new session the oldest of an address beyond a number.
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

-- ---------------------------------------------------------------------------------------------------------------------
-- OAuth 2.1: clients, connections and their tokens. Access tokens are rows of api_keys.

-- A client, which belongs to no organization. used_at: last consent, null before the first. cached_until: validity of the
-- fetched metadata document. Clients without a use are evicted beyond a capacity, and those without connections after a
-- time.
CREATE TABLE oauth_clients (
    client_id     text COLLATE "C" NOT NULL,
    source        text COLLATE "C" NOT NULL,
    name          text COLLATE "C" NOT NULL,
    redirect_uris text[]           NOT NULL,
    auth_method   text COLLATE "C" NOT NULL,
    secret_hash   bytea,
    created_at    timestamptz      NOT NULL,
    used_at       timestamptz,
    cached_until  timestamptz,
    CONSTRAINT oauth_clients_pkey PRIMARY KEY (client_id),
    CONSTRAINT oauth_clients_source_check CHECK (source IN ('registered', 'document')),
    CONSTRAINT oauth_clients_auth_method_check
        CHECK (auth_method IN ('none', 'client_secret_basic', 'client_secret_post'))
);

CREATE INDEX oauth_clients_unused ON oauth_clients (source, created_at) WHERE used_at IS NULL;
CREATE INDEX oauth_clients_used ON oauth_clients (greatest(created_at, used_at));

-- A connection of a client to an organization. used_at: null until the client exchanges its code. inbox_ids: inboxes that
-- limit the connection; empty means no limit beside that of the member. A worker deletes ended and unused ones.
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

-- A current refresh token of a connection or its immediate predecessor, by its SHA-256. parent_hash: the token that this
-- one replaced. retired_at: first use. The end of the connection deletes the row, a later token its predecessors, and a
-- worker expired ones.
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

-- ---------------------------------------------------------------------------------------------------------------------
-- Billing

-- The customer of an organization at the payment provider. A customer pays for one organization.
CREATE TABLE billing_customers (
    organization_id uuid             NOT NULL,
    customer_id     text COLLATE "C" NOT NULL,
    updated_at      timestamptz      NOT NULL,
    CONSTRAINT billing_customers_pkey PRIMARY KEY (organization_id)
);

-- Events of the provider can name the customer only.
CREATE UNIQUE INDEX billing_customers_customer_id_key ON billing_customers (customer_id);

-- The last known state of a subscription. said_at: its time in whole seconds. plan: null for a price that is not
-- configured.
CREATE TABLE subscriptions (
    organization_id uuid             NOT NULL,
    subscription_id text COLLATE "C" NOT NULL,
    state           text COLLATE "C" NOT NULL,
    plan            text COLLATE "C",
    said_at         timestamptz      NOT NULL,
    CONSTRAINT subscriptions_pkey PRIMARY KEY (organization_id, subscription_id),
    CONSTRAINT subscriptions_state_check CHECK (state IN ('live', 'lapsed', 'ended')),
    CONSTRAINT subscriptions_plan_check CHECK (plan IN ('free', 'startup', 'business', 'enterprise'))
);

-- A processed event of the provider, which repeats some of them. Later events of the organization delete it after 90 days.
CREATE TABLE payment_events (
    organization_id uuid             NOT NULL,
    event_id        text COLLATE "C" NOT NULL,
    seen_at         timestamptz      NOT NULL,
    CONSTRAINT payment_events_pkey PRIMARY KEY (organization_id, event_id)
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Domains

-- A directory of claimed names: at most one organization has each. The row is deleted with the domain, and with the removal
-- of its organization.
CREATE TABLE proven_domains (
    name            text COLLATE "C" NOT NULL,
    organization_id uuid             NOT NULL,
    domain_id       uuid             NOT NULL,
    CONSTRAINT proven_domains_pkey PRIMARY KEY (name)
);

-- A custom domain. A deleted domain retains its row for its client_id, but not its key. No pod: it belongs to the whole
-- organization. dkim_key: PKCS#8, encrypted by the vault for the id of the domain. inbound_enabled: whether the domain
-- receives mail here; catch_all_inbox_id: its catch-all inbox.
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
    inbound_enabled    boolean          NOT NULL DEFAULT true,
    catch_all_inbox_id text COLLATE "C",
    CONSTRAINT domains_pkey PRIMARY KEY (organization_id, domain_id),
    CONSTRAINT domains_status_check
        CHECK (status IN ('NOT_STARTED', 'PENDING', 'VERIFYING', 'VERIFIED', 'INVALID', 'FAILED')),
    CONSTRAINT domains_key_check CHECK ((dkim_key IS NULL) = (deleted_at IS NOT NULL))
);

CREATE UNIQUE INDEX domains_name_key ON domains (organization_id, name) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX domains_client_id_key ON domains (organization_id, client_id) WHERE client_id IS NOT NULL;
CREATE INDEX domains_list ON domains (organization_id, created_at, domain_id) WHERE deleted_at IS NULL;

-- A signing key in addition to the first one of each custom domain (domains.dkim_key, selector "inboxd"), deleted with the
-- domain. organization_id is nil for the domains of the service, which belong to the operator. sealed_key: PKCS#8, encrypted
-- by the vault for name and selector; empty after the key is retired. state: "next" until its record is published, "active"
-- while it signs, "retired" while mail in transit needs it.
CREATE TABLE dkim_keys (
    organization_id uuid             NOT NULL,
    name            text COLLATE "C" NOT NULL,
    selector        text COLLATE "C" NOT NULL,
    sealed_key      bytea            NOT NULL,
    public_key      text COLLATE "C" NOT NULL,
    state           text COLLATE "C" NOT NULL,
    changed_at      timestamptz      NOT NULL,
    CONSTRAINT dkim_keys_pkey PRIMARY KEY (organization_id, name, selector),
    CONSTRAINT dkim_keys_state_check CHECK (state IN ('next', 'active', 'retired'))
);

-- At most one active and one next key: several processes agree on them.
CREATE UNIQUE INDEX dkim_keys_state_key ON dkim_keys (organization_id, name, state) WHERE state <> 'retired';

-- ---------------------------------------------------------------------------------------------------------------------
-- Inboxes

-- A directory of every address that an inbox ever had. The address of a deleted inbox stays reserved; the removal of an
-- unconfirmed organization and an operator release it.
CREATE TABLE addresses (
    address         text COLLATE "C" NOT NULL,
    organization_id uuid             NOT NULL,
    pod_id          uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    deleted_at      timestamptz,
    CONSTRAINT addresses_pkey PRIMARY KEY (address)
);

-- An inbox. A deleted inbox retains its row: for its client_id, and until its content is purged. paused_at: the inbox sends
-- nothing, and mail to it is deferred. retention_days: days after which a worker deletes its messages; retention_due_at: time
-- from which it looks for them again. quarantine: as that of a pod.
CREATE TABLE inboxes (
    organization_id  uuid             NOT NULL,
    inbox_id         text COLLATE "C" NOT NULL,
    pod_id           uuid             NOT NULL,
    display_name     text COLLATE "C",
    client_id        text COLLATE "C",
    metadata         jsonb            NOT NULL,
    created_at       timestamptz      NOT NULL,
    updated_at       timestamptz      NOT NULL,
    deleted_at       timestamptz,
    purged_at        timestamptz,
    paused_at        timestamptz,
    retention_days   integer,
    retention_due_at timestamptz      NOT NULL DEFAULT '-infinity',
    quarantine       text COLLATE "C",
    CONSTRAINT inboxes_pkey PRIMARY KEY (organization_id, inbox_id),
    CONSTRAINT inboxes_quarantine_check CHECK (quarantine IN ('off', 'monitor', 'hold')),
    CONSTRAINT inboxes_retention_days CHECK (retention_days BETWEEN 1 AND 3650)
);

CREATE UNIQUE INDEX inboxes_client_id_key ON inboxes (organization_id, client_id) WHERE client_id IS NOT NULL;
CREATE INDEX inboxes_list ON inboxes (organization_id, created_at, inbox_id) WHERE deleted_at IS NULL;
CREATE INDEX inboxes_of_pod ON inboxes (organization_id, pod_id, created_at, inbox_id) WHERE deleted_at IS NULL;
CREATE INDEX inboxes_to_purge ON inboxes (deleted_at) WHERE deleted_at IS NOT NULL AND purged_at IS NULL;
CREATE INDEX inboxes_retention ON inboxes (organization_id, retention_due_at)
    WHERE retention_days IS NOT NULL AND deleted_at IS NULL;

-- A legal hold: while it is in force, nothing of its inbox is deleted. An empty inbox_id means the whole organization. Its
-- end deletes the row.
CREATE TABLE legal_holds (
    organization_id uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    reason          text             NOT NULL,
    placed_by       jsonb            NOT NULL,
    placed_at       timestamptz      NOT NULL,
    CONSTRAINT legal_holds_pkey PRIMARY KEY (organization_id, inbox_id)
);

-- The usage of an inbox: bytes of messages, drafts, notes and files, messages and threads. Deleted with the inbox.
CREATE TABLE inbox_usage (
    organization_id uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    storage_bytes   bigint           NOT NULL,
    messages        bigint           NOT NULL,
    threads         bigint           NOT NULL,
    CONSTRAINT inbox_usage_pkey PRIMARY KEY (organization_id, inbox_id)
);

-- A usage sample, at most one an hour, when a value changed. Scope: an organization has the nil pod_id and no inbox_id, a
-- pod its pod_id, an inbox its inbox_id alone. taken_at lies within the hour. Later samples delete it after the retention,
-- and so does the deletion of its pod or inbox.
CREATE TABLE usage_samples (
    organization_id uuid             NOT NULL,
    pod_id          uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    hour            timestamptz      NOT NULL,
    taken_at        timestamptz      NOT NULL,
    storage_bytes   bigint           NOT NULL,
    message_count   bigint           NOT NULL,
    thread_count    bigint           NOT NULL,
    inbox_count     bigint           NOT NULL,
    pod_count       bigint           NOT NULL,
    domain_count    bigint           NOT NULL,
    CONSTRAINT usage_samples_pkey PRIMARY KEY (organization_id, pod_id, inbox_id, hour),
    CONSTRAINT usage_samples_counts_check CHECK (inbox_count >= 0 AND pod_count >= 0 AND domain_count >= 0)
);

-- Old samples of an organization for any scope, existing or deleted.
CREATE INDEX usage_samples_by_hour ON usage_samples (organization_id, hour);

-- ---------------------------------------------------------------------------------------------------------------------
-- Messages

-- One plan serves small and large inboxes, so it is made for the largest one. The planner multiplies the selectivities of
-- the columns of a key. The id of a message or a thread selects its row by itself; organization and inbox add nothing. The
-- number of distinct values 1 says so in these tables, from the first analysis on.

-- The fields of a message that lists show. hidden: five bits, one for each hiding label (spam, blocked, unauthenticated,
-- trash, held); 0 is a message that every list shows. delivered_to: the envelope recipient; tag: its part after `+`. trust:
-- verdict and reasons of a received message. release: release of a held message, with its author and reason. redacted_at:
-- time of the redaction of a message, which has no content any more. calendar_event_id: calendar event that the message
-- created, changed or answered. Deleted by a caller, by the retention, or with its inbox.
CREATE TABLE messages (
    organization_id   uuid             NOT NULL,
    inbox_id          text COLLATE "C" NOT NULL,
    message_id        text COLLATE "C" NOT NULL,
    thread_id         uuid             NOT NULL,
    labels            text[]           NOT NULL,
    hidden            smallint         NOT NULL,
    timestamp         timestamptz      NOT NULL,
    from_             text COLLATE "C" NOT NULL,
    to_               text[]           NOT NULL,
    cc                text[]           NOT NULL,
    bcc               text[]           NOT NULL,
    reply_to          text[]           NOT NULL,
    subject           text COLLATE "C",
    preview           text COLLATE "C",
    attachments       jsonb            NOT NULL,
    in_reply_to       text COLLATE "C",
    references_       text[]           NOT NULL,
    size              bigint           NOT NULL,
    sent_by           jsonb,
    header_message_id text COLLATE "C",
    digest            bytea,
    created_at        timestamptz      NOT NULL,
    updated_at        timestamptz      NOT NULL,
    delivered_to      text COLLATE "C",
    tag               text COLLATE "C",
    trust             jsonb,
    release           jsonb,
    redacted_at       timestamptz,
    calendar_event_id text COLLATE "C",
    CONSTRAINT messages_pkey PRIMARY KEY (organization_id, inbox_id, message_id),
    CONSTRAINT messages_size_check CHECK (size >= 0)
);
ALTER TABLE messages
    ALTER COLUMN organization_id SET (n_distinct = 1), ALTER COLUMN inbox_id SET (n_distinct = 1);

-- Created after the primary key: at equal cost the planner prefers the newest index.
CREATE INDEX messages_by_header ON messages (organization_id, inbox_id, header_message_id)
    WHERE header_message_id IS NOT NULL;
-- Most mail is addressed to the inbox itself, which lists find with their own index.
CREATE INDEX messages_to_other ON messages (organization_id, inbox_id, delivered_to, hidden, timestamp, message_id)
    WHERE delivered_to <> inbox_id;
CREATE INDEX messages_tagged ON messages (organization_id, inbox_id, tag, hidden, timestamp, message_id)
    WHERE tag IS NOT NULL;
-- Most mail is from known or new senders: a list of it walks all messages. Only the rare verdicts have an index, because
-- an index of all of them took a sixth of the database's time of receiving.
CREATE INDEX messages_judged ON messages (organization_id, inbox_id, (trust ->> 'verdict'), hidden, timestamp, message_id)
    WHERE trust ->> 'verdict' IN ('suspicious', 'trusted');
-- Indexes of walks begin with the column that only walks name: the hiding labels of a list, or the thread. Lookups by id
-- name neither, so the primary key is their only index that begins with the inbox. Among usable indexes the planner
-- prefers the one with fewer levels, and without statistics it expects few rows from any inbox: with a walk index that
-- begins with the inbox too, it would read a large inbox for one message. hidden precedes the time, so that a list of
-- visible messages never scans spam; a list with hidden mail merges a walk for each combination of hiding labels.
CREATE INDEX messages_list ON messages (hidden, organization_id, inbox_id, timestamp, message_id);
CREATE INDEX messages_of_thread ON messages (thread_id, organization_id, inbox_id, timestamp, message_id);

-- A label of a message: the list of any label is a walk along the primary key. Deleted with the label or the message.
CREATE TABLE message_labels (
    organization_id uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    label           text COLLATE "C" NOT NULL,
    hidden          smallint         NOT NULL,
    timestamp       timestamptz      NOT NULL,
    message_id      text COLLATE "C" NOT NULL,
    CONSTRAINT message_labels_pkey PRIMARY KEY (organization_id, inbox_id, label, hidden, timestamp, message_id)
);
ALTER TABLE message_labels
    ALTER COLUMN organization_id SET (n_distinct = 1), ALTER COLUMN inbox_id SET (n_distinct = 1);

-- The fields of a message that lists never read, deleted with it. Filters search search_text and the folded columns, which
-- the program folds to lower case, because the database folds only ASCII in collation C.
--
-- body: the raw mail and the texts that were read out of it, which repeat one another, in one frame that the program
-- compresses (crates/postgres/src/messages/body.rs). Its first byte is 0 for plain fields and 1 for compressed ones, and the
-- next four are the length of the raw mail. The fields are text, HTML, both without quoted history, and header fields; each
-- is its length (-1 for null) and its bytes. The raw mail follows them. large_raw: frame of the raw mail alone, if that has
-- more than 64 KB; the frame in body is then without it. blob_id: the object of the raw mail instead of either. body_bytes:
-- bytes of texts, HTML, header fields and extraction, which limits of responses count.
--
-- authentication, spam: results for received mail. extracted: codes, confirmation links, and whether the message has hidden
-- words. feedback: on the verdict about the message.
--
-- attachments_due_at: time from which a worker may read the text of attachments; null when nothing is left to do.
-- attachment_attempts: attempts begun. attachment_texts: a text of each attachment with words, which search_text has in lower
-- case as well. unread_attachments: attachments that were given up.
CREATE TABLE message_bodies (
    organization_id     uuid             NOT NULL,
    inbox_id            text COLLATE "C" NOT NULL,
    message_id          text COLLATE "C" NOT NULL,
    search_text         text COLLATE "C" NOT NULL,
    folded_from         text COLLATE "C" NOT NULL,
    folded_to           text[]           NOT NULL,
    folded_subject      text COLLATE "C" NOT NULL,
    body                bytea            NOT NULL,
    authentication      jsonb,
    spam                jsonb,
    extracted           jsonb,
    feedback            jsonb,
    attachments_due_at  timestamptz,
    attachment_attempts smallint         NOT NULL DEFAULT 0,
    attachment_texts    text[],
    unread_attachments  integer,
    large_raw           bytea,
    body_bytes          bigint           NOT NULL,
    blob_id             uuid,
    CONSTRAINT message_bodies_pkey PRIMARY KEY (organization_id, inbox_id, message_id),
    CONSTRAINT message_bodies_counts_check
        CHECK (attachment_attempts >= 0 AND unread_attachments >= 0 AND body_bytes >= 0)
);
ALTER TABLE message_bodies
    ALTER COLUMN organization_id SET (n_distinct = 1), ALTER COLUMN inbox_id SET (n_distinct = 1),
    ALTER COLUMN body SET STORAGE EXTERNAL, ALTER COLUMN large_raw SET STORAGE EXTERNAL;

-- LZ4 is several times faster than the default compression of PostgreSQL, where the server was built with it.
DO $$
BEGIN
    ALTER TABLE message_bodies
        ALTER COLUMN search_text SET COMPRESSION lz4,
        ALTER COLUMN attachment_texts SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
    NULL;
END
$$;

CREATE INDEX message_bodies_attachments ON message_bodies (organization_id, attachments_due_at)
    WHERE attachments_due_at IS NOT NULL;

-- A label that a caller gave to a message or took from it. It outlives the message. The oldest are deleted beyond a number of
-- an inbox. event_id sorts by time, so the order of the rows is that of their ids.
CREATE TABLE label_history (
    organization_id uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    event_at        timestamptz      NOT NULL,
    event_id        uuid             NOT NULL,
    pod_id          uuid             NOT NULL,
    message_id      text COLLATE "C" NOT NULL,
    label           text COLLATE "C" NOT NULL,
    added           boolean          NOT NULL,
    actor           jsonb            NOT NULL,
    CONSTRAINT label_history_pkey PRIMARY KEY (organization_id, inbox_id, event_at, event_id)
);

-- The first read of a message by a member, a connection or an API key. reader_id: id of the connection, member or key. The
-- oldest are deleted beyond a number of an inbox, and after the retention.
CREATE TABLE first_reads (
    organization_id uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    message_id      text COLLATE "C" NOT NULL,
    reader_id       text COLLATE "C" NOT NULL,
    read_at         timestamptz      NOT NULL,
    read_id         uuid             NOT NULL,
    reader          jsonb            NOT NULL,
    part            text COLLATE "C" NOT NULL,
    CONSTRAINT first_reads_pkey PRIMARY KEY (organization_id, inbox_id, message_id, reader_id),
    CONSTRAINT first_reads_part_check CHECK (part IN ('message', 'raw', 'attachment'))
);

CREATE INDEX first_reads_of_inbox ON first_reads (organization_id, inbox_id, read_at, read_id);
CREATE INDEX first_reads_expiry ON first_reads (read_at);

-- The verification codes of a received message, for 24 hours, also after the message is gone: policies of sending ask for
-- them. sealed: sender and codes, encrypted with the key of the server.
CREATE TABLE received_codes (
    organization_id uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    received_at     timestamptz      NOT NULL,
    message_id      text COLLATE "C" NOT NULL,
    sealed          bytea            NOT NULL,
    CONSTRAINT received_codes_pkey PRIMARY KEY (organization_id, inbox_id, received_at, message_id)
);

CREATE INDEX received_codes_over ON received_codes (received_at);

-- ---------------------------------------------------------------------------------------------------------------------
-- Threads

-- A thread with the fields that lists show, deleted with its last message. hidden_sets: 32 bits, one for each combination of
-- hiding labels among the messages of the thread. visible: whether one of them is a message that every list shows. trust:
-- verdict and reasons of its newest received message.
CREATE TABLE threads (
    organization_id    uuid             NOT NULL,
    inbox_id           text COLLATE "C" NOT NULL,
    thread_id          uuid             NOT NULL,
    labels             text[]           NOT NULL,
    timestamp          timestamptz      NOT NULL,
    received_timestamp timestamptz,
    sent_timestamp     timestamptz,
    senders            text[]           NOT NULL,
    recipients         text[]           NOT NULL,
    subject            text COLLATE "C",
    preview            text COLLATE "C",
    attachments        jsonb            NOT NULL,
    last_message_id    text COLLATE "C" NOT NULL,
    message_count      bigint           NOT NULL,
    size               bigint           NOT NULL,
    hidden_sets        integer          NOT NULL,
    visible            boolean          NOT NULL,
    assignee_id        text COLLATE "C",
    assignee           jsonb,
    folded_senders     text[]           NOT NULL,
    folded_recipients  text[]           NOT NULL,
    folded_subject     text COLLATE "C" NOT NULL,
    created_at         timestamptz      NOT NULL,
    updated_at         timestamptz      NOT NULL,
    trust              jsonb,
    CONSTRAINT threads_counts_check CHECK (message_count >= 0 AND size >= 0)
);
ALTER TABLE threads
    ALTER COLUMN organization_id SET (n_distinct = 1), ALTER COLUMN inbox_id SET (n_distinct = 1);

CREATE INDEX threads_list ON threads (organization_id, inbox_id, visible, timestamp, thread_id);
CREATE INDEX threads_of_assignee ON threads (organization_id, inbox_id, assignee_id, visible, timestamp, thread_id)
    WHERE assignee_id IS NOT NULL;
-- The primary key follows the walks of an inbox: when the planner expects one or two rows from any index that begins with
-- the inbox, it prefers the newest one.
ALTER TABLE threads ADD CONSTRAINT threads_pkey PRIMARY KEY (organization_id, inbox_id, thread_id);
-- Threads to unassign from a member without access to the inbox.
CREATE INDEX threads_taken ON threads (organization_id, assignee_id, inbox_id, thread_id)
    WHERE assignee_id IS NOT NULL;
-- The threads of a whole organization. Those of a pod are merged from the walks of its inboxes.
CREATE INDEX threads_of_organization ON threads (organization_id, visible, timestamp, thread_id);
CREATE INDEX threads_of_assignee_anywhere ON threads (organization_id, assignee_id, visible, timestamp, thread_id)
    WHERE assignee_id IS NOT NULL;
CREATE INDEX threads_by_id ON threads (organization_id, thread_id);
-- The rare verdicts alone, like messages_judged.
CREATE INDEX threads_judged ON threads (organization_id, inbox_id, (trust ->> 'verdict'), visible, timestamp, thread_id)
    WHERE trust ->> 'verdict' IN ('suspicious', 'trusted');

-- A label of a thread, deleted with the label or the thread.
CREATE TABLE thread_labels (
    organization_id uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    label           text COLLATE "C" NOT NULL,
    visible         boolean          NOT NULL,
    timestamp       timestamptz      NOT NULL,
    thread_id       uuid             NOT NULL,
    CONSTRAINT thread_labels_pkey PRIMARY KEY (organization_id, inbox_id, label, visible, timestamp, thread_id)
);
ALTER TABLE thread_labels
    ALTER COLUMN organization_id SET (n_distinct = 1), ALTER COLUMN inbox_id SET (n_distinct = 1);

CREATE INDEX thread_labels_of_organization ON thread_labels (organization_id, label, visible, timestamp, thread_id);

-- A note of a person or key on a thread, deleted by a caller or with the thread.
CREATE TABLE notes (
    organization_id uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    thread_id       uuid             NOT NULL,
    note_id         uuid             NOT NULL,
    text            text COLLATE "C" NOT NULL,
    created_by      jsonb            NOT NULL,
    created_at      timestamptz      NOT NULL,
    CONSTRAINT notes_pkey PRIMARY KEY (organization_id, inbox_id, thread_id, note_id)
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Search: an index that derives from messages and message_bodies alone, so it can be dropped and rebuilt

-- A message in no segment; a search reads its texts. The row is inserted with its message, and again when the hiding labels
-- or the texts of the message change. The unit of work that adds the message to a segment deletes it. A message may occur
-- twice.
--
-- Rows live for seconds. Rows of one hour have random order, so that new rows fall between old ones and the index
-- reuses its space. In time order, a search would skip all dead entries since the last vacuum.
CREATE TABLE search_pending (
    organization_id uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    hidden          smallint         NOT NULL,
    hour            timestamptz      NOT NULL
        GENERATED ALWAYS AS (date_bin(interval '1 hour', timestamp, timestamptz '2000-01-01 00:00:00+00')) STORED,
    pending_id      uuid             NOT NULL DEFAULT gen_random_uuid(),
    timestamp       timestamptz      NOT NULL,
    message_id      text COLLATE "C" NOT NULL,
    CONSTRAINT search_pending_pkey PRIMARY KEY (organization_id, inbox_id, hidden, hour, pending_id)
);

-- A segment: up to 30,000 messages of an inbox with equal hiding labels at their insertion. A merge into a larger one deletes
-- it. octets: size of its blocks. fences: time of the first message of each of its rows in search_documents.
CREATE TABLE search_segments (
    organization_id uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    hidden          smallint         NOT NULL,
    segment_id      uuid             NOT NULL,
    documents       integer          NOT NULL,
    octets          bigint           NOT NULL,
    oldest          timestamptz      NOT NULL,
    newest          timestamptz      NOT NULL,
    fences          timestamptz[]    NOT NULL,
    CONSTRAINT search_segments_pkey PRIMARY KEY (organization_id, inbox_id, hidden, segment_id),
    CONSTRAINT search_segments_counts_check CHECK (documents >= 0 AND octets >= 0)
);

-- 64 messages of a segment in order of time, deleted with the segment. Message-IDs compress badly, and decompression takes
-- time.
CREATE TABLE search_documents (
    organization_id uuid               NOT NULL,
    segment_id      uuid               NOT NULL,
    first_document  integer            NOT NULL,
    timestamps      timestamptz[]      NOT NULL,
    message_ids     text[] COLLATE "C" NOT NULL,
    CONSTRAINT search_documents_pkey PRIMARY KEY (organization_id, segment_id, first_document),
    CONSTRAINT search_documents_first_document_check CHECK (first_document >= 0)
) WITH (toast_tuple_target = 8160);
ALTER TABLE search_documents ALTER COLUMN message_ids SET STORAGE EXTERNAL;

-- Posting lists of a segment by n-gram of four characters, deleted with the segment. Two blocks fit on a page and are already
-- compressed.
CREATE TABLE search_blocks (
    organization_id uuid   NOT NULL,
    segment_id      uuid   NOT NULL,
    first_gram      bigint NOT NULL,
    block           bytea  NOT NULL,
    CONSTRAINT search_blocks_pkey PRIMARY KEY (organization_id, segment_id, first_gram)
);
ALTER TABLE search_blocks ALTER COLUMN block SET STORAGE PLAIN;

-- A segment without a row in search_segments: an incomplete one, or a replaced one whose blocks are being deleted. The
-- merging process has it until a time, after which another one may delete its blocks and then the row.
CREATE TABLE search_unlisted (
    organization_id uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    segment_id      uuid             NOT NULL,
    until           timestamptz      NOT NULL,
    CONSTRAINT search_unlisted_pkey PRIMARY KEY (organization_id, inbox_id, segment_id)
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Events and their feed
--
-- Tables of unlimited growth have weekly partitions, so that expired rows are dropped with their table. The program
-- creates future weeks and drops old ones (crates/postgres/src/partitions.rs). The first partition covers all time
-- before the others. There is no default partition, because detaching a partition next to one would lock the table.

-- An event, dropped with its week after the retention. Its time is part of the key, as that of the partition. An event about
-- a domain has no inbox, thread or message, and a pod only when the domain belongs to one. traceparent: trace of the request
-- that caused the event (W3C Trace Context), for the webhook requests about it. Most events have none; then the column costs
-- at most the null bitmap of the row, 8 bytes.
CREATE TABLE events (
    organization_id uuid             NOT NULL,
    created_at      timestamptz      NOT NULL,
    event_id        uuid             NOT NULL,
    event_type      text COLLATE "C" NOT NULL,
    pod_id          uuid,
    inbox_id        text COLLATE "C",
    thread_id       uuid,
    message_id      text COLLATE "C",
    body            jsonb            NOT NULL,
    traceparent     text COLLATE "C",
    -- Counted columns are in the indexes, so that counts read only the indexes.
    CONSTRAINT events_pkey PRIMARY KEY (organization_id, created_at, event_id) INCLUDE (event_type, pod_id)
) PARTITION BY RANGE (created_at);

CREATE INDEX events_of_inbox ON events (organization_id, inbox_id, created_at, event_id) INCLUDE (event_type);
-- Finds the events of a message without reading those of its inbox.
CREATE INDEX events_of_message ON events (organization_id, inbox_id, message_id, created_at, event_id);
-- Few events are bounces and complaints; the review of the brake reads these alone.
CREATE INDEX events_of_failures ON events (event_type, created_at, organization_id)
    WHERE event_type IN ('message.bounced', 'message.complained');

-- The place of an event in the order for readers, dropped with its week. An event gets its position after its unit of work
-- has committed, from the process that holds the head of the organization. So no event appears before a cursor: positioned
-- events are committed, and later commits get later positions. A unit of work that never ends delays no other. verdict: of
-- the received mail that the event is about.
CREATE TABLE feed (
    organization_id uuid             NOT NULL,
    sequenced_at    timestamptz      NOT NULL,
    position        bigint           NOT NULL,
    event_id        uuid             NOT NULL,
    created_at      timestamptz      NOT NULL,
    event_type      text COLLATE "C" NOT NULL,
    pod_id          uuid,
    inbox_id        text COLLATE "C",
    verdict         text COLLATE "C",
    CONSTRAINT feed_pkey PRIMARY KEY (organization_id, sequenced_at, position),
    CONSTRAINT feed_verdict_check CHECK (verdict IN ('trusted', 'known', 'first_contact', 'suspicious'))
) PARTITION BY RANGE (sequenced_at);

CREATE INDEX feed_of_event ON feed (organization_id, event_id);

-- The last assigned position of an organization. sequenced_at is monotonic, independent of clocks.
CREATE TABLE feed_heads (
    organization_id uuid        NOT NULL,
    sequenced_at    timestamptz NOT NULL,
    position        bigint      NOT NULL,
    CONSTRAINT feed_heads_pkey PRIMARY KEY (organization_id)
) WITH (fillfactor = 50);

-- A committed event without a position, with its content in the feed, so that sequencing reads no events; its position
-- deletes it. The table is nearly always empty and stays small for that.
CREATE TABLE feed_pending (
    organization_id uuid             NOT NULL,
    event_id        uuid             NOT NULL,
    created_at      timestamptz      NOT NULL,
    event_type      text COLLATE "C" NOT NULL,
    pod_id          uuid,
    inbox_id        text COLLATE "C",
    verdict         text COLLATE "C",
    CONSTRAINT feed_pending_pkey PRIMARY KEY (organization_id, event_id),
    CONSTRAINT feed_pending_verdict_check CHECK (verdict IN ('trusted', 'known', 'first_contact', 'suspicious'))
) WITH (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);

-- ---------------------------------------------------------------------------------------------------------------------
-- Webhooks

-- A webhook, deleted by a caller or with its pod or inbox. No pod and no inbox: it belongs to the organization. A pod alone:
-- to the pod. Both: to the inbox. It receives no events outside that scope.
-- narrowed: it receives events of the pods in pod_ids and the inboxes in inbox_ids only; none when both are empty.
-- Otherwise it receives all events in its scope, and both are empty.
-- secret: 32 bytes, encrypted by the vault for the id of the webhook, like the earlier ones, newest first. Each of
-- those signs until its time in previous_until.
-- headers: a JSON object of names and values, encrypted for the id of the webhook and the word `headers`; null when
-- empty. header_names: its readable names.
-- failing_since: first failure of the present streak. A webhook disabled while this is set was disabled for failures.
-- trust: verdicts of which the webhook wants one in each event of received mail; empty for all mail.
CREATE TABLE webhooks (
    organization_id  uuid               NOT NULL,
    webhook_id       uuid               NOT NULL,
    pod_id           uuid,
    inbox_id         text COLLATE "C",
    url              text COLLATE "C"   NOT NULL,
    event_types      text[] COLLATE "C" NOT NULL,
    narrowed         boolean            NOT NULL,
    pod_ids          uuid[]             NOT NULL,
    inbox_ids        text[] COLLATE "C" NOT NULL,
    enabled          boolean            NOT NULL,
    secret           bytea              NOT NULL,
    previous_secrets bytea[]            NOT NULL,
    previous_until   timestamptz[]      NOT NULL,
    header_names     text[] COLLATE "C" NOT NULL,
    headers          bytea,
    client_id        text COLLATE "C",
    failing_since    timestamptz,
    last_failed_at   timestamptz,
    created_at       timestamptz        NOT NULL,
    updated_at       timestamptz        NOT NULL,
    trust            text[] COLLATE "C" NOT NULL DEFAULT '{}',
    CONSTRAINT webhooks_pkey PRIMARY KEY (organization_id, webhook_id),
    CONSTRAINT webhooks_place_check CHECK (inbox_id IS NULL OR pod_id IS NOT NULL),
    CONSTRAINT webhooks_narrowed_check CHECK (narrowed OR (pod_ids = '{}' AND inbox_ids = '{}')),
    CONSTRAINT webhooks_previous_check CHECK (cardinality(previous_secrets) = cardinality(previous_until)),
    CONSTRAINT webhooks_headers_check CHECK ((headers IS NULL) = (header_names = '{}')),
    CONSTRAINT webhooks_trust_check CHECK (trust <@ '{trusted,known,first_contact,suspicious}'::text[])
);

CREATE INDEX webhooks_list ON webhooks (organization_id, created_at, webhook_id);
CREATE INDEX webhooks_of_pod ON webhooks (organization_id, pod_id, created_at, webhook_id) WHERE pod_id IS NOT NULL;
CREATE INDEX webhooks_of_inbox ON webhooks (organization_id, inbox_id, created_at, webhook_id)
    WHERE inbox_id IS NOT NULL;

-- An undelivered event of a webhook. The row is deleted after success, after the last attempt, or after its webhook.
-- event_created_at: partition time of the event.
-- position: position of the event in the feed. First attempts of a webhook start in this order.
-- attempts: number of failed attempts.
-- claim_id: claim of the current worker, which expires at due_at. Without a claim, due_at is the time of the next
-- attempt.
CREATE TABLE webhook_deliveries (
    organization_id  uuid             NOT NULL,
    webhook_id       uuid             NOT NULL,
    event_id         uuid             NOT NULL,
    event_type       text COLLATE "C" NOT NULL,
    event_created_at timestamptz      NOT NULL,
    position         bigint           NOT NULL,
    attempts         integer          NOT NULL DEFAULT 0,
    due_at           timestamptz      NOT NULL,
    claim_id         uuid,
    CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (organization_id, webhook_id, event_id),
    CONSTRAINT webhook_deliveries_attempts_check CHECK (attempts >= 0)
);

-- Untried deliveries are ordered by position, so that new ones do not wait for failed ones. All others are ordered by
-- time.
CREATE INDEX webhook_deliveries_new ON webhook_deliveries (organization_id, webhook_id, position)
    WHERE attempts = 0 AND claim_id IS NULL;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (organization_id, webhook_id, due_at, position)
    WHERE attempts > 0 OR claim_id IS NOT NULL;
CREATE INDEX webhook_deliveries_claimed ON webhook_deliveries (organization_id, webhook_id, due_at)
    WHERE claim_id IS NOT NULL;

-- An attempt to deliver an event, dropped with its week. status_code and response_body (its start, except after success):
-- null without a response. error: reason for a missing response. next_attempt_at: null after a success and after the last
-- attempt.
CREATE TABLE webhook_attempts (
    organization_id uuid             NOT NULL,
    attempted_at    timestamptz      NOT NULL,
    attempt_id      uuid             NOT NULL,
    webhook_id      uuid             NOT NULL,
    event_id        uuid             NOT NULL,
    event_type      text COLLATE "C" NOT NULL,
    status_code     integer,
    duration_ms     integer          NOT NULL,
    response_body   text COLLATE "C",
    error           text COLLATE "C",
    next_attempt_at timestamptz,
    CONSTRAINT webhook_attempts_pkey PRIMARY KEY (organization_id, attempted_at, attempt_id),
    CONSTRAINT webhook_attempts_duration_ms_check CHECK (duration_ms >= 0)
) PARTITION BY RANGE (attempted_at);

CREATE INDEX webhook_attempts_of_webhook ON webhook_attempts (organization_id, webhook_id, attempted_at, attempt_id);
CREATE INDEX webhook_attempts_of_event ON webhook_attempts (organization_id, event_id, attempted_at, attempt_id);

-- An incomplete replay: the remaining events of an organization for a webhook, after the position (next_at, next_id) up
-- to until_at. A worker continues the one that has waited longest, and deletes it at its end or after its webhook.
CREATE TABLE webhook_replays (
    organization_id uuid        NOT NULL,
    webhook_id      uuid        NOT NULL,
    next_at         timestamptz NOT NULL,
    next_id         uuid        NOT NULL,
    until_at        timestamptz NOT NULL,
    walked_at       timestamptz NOT NULL,
    CONSTRAINT webhook_replays_pkey PRIMARY KEY (organization_id, webhook_id)
);

CREATE INDEX webhook_replays_waiting ON webhook_replays (walked_at);

-- A subscription whose events are read with a token, with a scope like that of a webhook. Deleted by a caller or with its
-- pod or inbox.
CREATE TABLE polling_webhooks (
    organization_id uuid             NOT NULL,
    webhook_id      uuid             NOT NULL,
    pod_id          uuid,
    inbox_id        text COLLATE "C",
    client_id       text COLLATE "C" NOT NULL,
    event_types     text[]           NOT NULL,
    narrowed        boolean          NOT NULL,
    pod_ids         uuid[]           NOT NULL,
    inbox_ids       text[]           NOT NULL,
    token_hash      bytea            NOT NULL,
    start_at        timestamptz      NOT NULL,
    start_position  bigint           NOT NULL,
    created_at      timestamptz      NOT NULL,
    updated_at      timestamptz      NOT NULL,
    CONSTRAINT polling_webhooks_pkey PRIMARY KEY (organization_id, webhook_id)
);

CREATE UNIQUE INDEX polling_webhooks_client_id_key ON polling_webhooks (organization_id, client_id);
CREATE INDEX polling_webhooks_place_created
    ON polling_webhooks (organization_id, coalesce(inbox_id, pod_id::text, ''), created_at, webhook_id);
-- A token finds its subscription in any organization.
CREATE UNIQUE INDEX polling_webhooks_token_hash_key ON polling_webhooks (token_hash);

-- ---------------------------------------------------------------------------------------------------------------------
-- Drafts and sends

-- A draft: an unsent message, deleted by a caller or when it is sent. in_reply_to, thread_id, references_: of a reply; the
-- last reference is the original Message-ID of the replied message. forward_of: the forwarded message. claimed_until: end of
-- the claim of a sender. revision counts all writes. due_at: time at which a worker sends it; null when it is not scheduled
-- or was refused. size: bytes in the storage of its inbox: addresses, texts and attachments. delayed: the send that made the
-- draft: ids of its message and thread, header fields, and whether it may answer automatic mail; null for a draft that was
-- written as one. approval: of a held message; the composed message waits in draft_attachments, under the nil id.
CREATE TABLE drafts (
    organization_id     uuid             NOT NULL,
    draft_id            uuid             NOT NULL,
    pod_id              uuid             NOT NULL,
    inbox_id            text COLLATE "C" NOT NULL,
    client_id           text COLLATE "C",
    in_reply_to         text COLLATE "C",
    thread_id           uuid,
    references_         text[]           NOT NULL,
    forward_of          text COLLATE "C",
    labels              text[]           NOT NULL,
    to_                 text[]           NOT NULL,
    cc                  text[]           NOT NULL,
    bcc                 text[]           NOT NULL,
    reply_to            text[]           NOT NULL,
    subject             text COLLATE "C",
    preview             text COLLATE "C",
    text                text COLLATE "C",
    html                text COLLATE "C",
    attachments         jsonb            NOT NULL,
    send_at             timestamptz,
    has_failed          boolean          NOT NULL,
    claimed_until       timestamptz,
    revision            bigint           NOT NULL,
    due_at              timestamptz,
    created_by          jsonb            NOT NULL,
    updated_by          jsonb            NOT NULL,
    created_at          timestamptz      NOT NULL,
    updated_at          timestamptz      NOT NULL,
    size                bigint           NOT NULL DEFAULT 0,
    delayed             jsonb,
    approval            jsonb,
    approval_expires_at timestamptz,
    CONSTRAINT drafts_pkey PRIMARY KEY (organization_id, draft_id),
    CONSTRAINT drafts_counts_check CHECK (revision >= 0 AND size >= 0),
    CONSTRAINT drafts_kind_check CHECK (forward_of IS NULL OR in_reply_to IS NULL),
    CONSTRAINT drafts_reply_check CHECK ((in_reply_to IS NULL) = (thread_id IS NULL))
);

CREATE INDEX drafts_list ON drafts (organization_id, updated_at, draft_id);
CREATE INDEX drafts_of_pod ON drafts (organization_id, pod_id, updated_at, draft_id);
CREATE INDEX drafts_of_inbox ON drafts (organization_id, inbox_id, updated_at, draft_id);
CREATE INDEX drafts_of_thread ON drafts (organization_id, inbox_id, thread_id, updated_at, draft_id)
    WHERE thread_id IS NOT NULL;
CREATE INDEX drafts_due ON drafts (due_at) WHERE due_at IS NOT NULL;
CREATE UNIQUE INDEX drafts_delayed ON drafts (organization_id, inbox_id, (delayed ->> 'message_id'))
    WHERE delayed IS NOT NULL;
CREATE INDEX drafts_approval_over ON drafts (approval_expires_at) WHERE approval_expires_at IS NOT NULL;

-- The bytes of an attachment, which lists never read; drafts.attachments has its metadata. Deleted with the attachment or
-- the draft. blob_id: its object instead of content.
CREATE TABLE draft_attachments (
    organization_id uuid  NOT NULL,
    draft_id        uuid  NOT NULL,
    attachment_id   uuid  NOT NULL,
    content         bytea,
    blob_id         uuid,
    CONSTRAINT draft_attachments_pkey PRIMARY KEY (organization_id, draft_id, attachment_id)
);

-- An idempotency key of a send; a worker deletes it after its time. request: SHA-256 of the request. claim_id, claimed_until:
-- the current sender and the end of its exclusive claim. message_id, thread_id: the response, written by the unit of work
-- that stored the message; null while the send runs. used_at: time of the claim, then of the response. draft_id: draft of a
-- send that was held.
CREATE TABLE send_keys (
    organization_id uuid             NOT NULL,
    key             text COLLATE "C" NOT NULL,
    request         bytea            NOT NULL,
    claim_id        uuid             NOT NULL,
    claimed_until   timestamptz      NOT NULL,
    message_id      text COLLATE "C",
    thread_id       uuid,
    used_at         timestamptz      NOT NULL,
    draft_id        uuid,
    CONSTRAINT send_keys_pkey PRIMARY KEY (organization_id, key),
    CONSTRAINT send_keys_request_check CHECK (octet_length(request) = 32),
    CONSTRAINT send_keys_answer_check CHECK ((message_id IS NULL) = (thread_id IS NULL))
);

CREATE INDEX send_keys_used_at ON send_keys (used_at);

-- The messages that an organization sent on a calendar day in UTC.
CREATE TABLE send_counts (
    organization_id uuid   NOT NULL,
    day             date   NOT NULL,
    count           bigint NOT NULL,
    CONSTRAINT send_counts_pkey PRIMARY KEY (organization_id, day),
    CONSTRAINT send_counts_count_check CHECK (count >= 0)
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Policies, lists and contacts

-- The rules of sending of a scope, deleted by a caller or with the scope. level_id is empty for an organization. updated_by:
-- null for the policy of a new organization.
CREATE TABLE sending_policies (
    organization_id uuid             NOT NULL,
    level           text COLLATE "C" NOT NULL,
    level_id        text COLLATE "C" NOT NULL,
    rules           jsonb            NOT NULL,
    updated_by      jsonb,
    updated_at      timestamptz      NOT NULL,
    CONSTRAINT sending_policies_pkey PRIMARY KEY (organization_id, level, level_id),
    CONSTRAINT sending_policies_level_check CHECK (level IN ('organization', 'pod', 'inbox', 'api_key'))
);

-- The messages of a minute, counted where a policy limits their number; a worker deletes old minutes. subject: the scope of
-- the policy, and a recipient or nothing.
CREATE TABLE policy_counts (
    organization_id uuid             NOT NULL,
    subject         text COLLATE "C" NOT NULL,
    minute          timestamptz      NOT NULL,
    messages        integer          NOT NULL,
    CONSTRAINT policy_counts_pkey PRIMARY KEY (organization_id, subject, minute),
    CONSTRAINT policy_counts_messages_check CHECK (messages >= 0)
);

CREATE INDEX policy_counts_over ON policy_counts (minute);

-- An entry of an allow or block list, deleted by a caller or with the scope. scope: empty for the organization, the id of a
-- pod, or the address of an inbox. entry is in normal form: an address, or a domain, which covers its subdomains.
-- require_authentication: whether an entry of an allow list of received mail admits authenticated mail alone.
CREATE TABLE list_entries (
    organization_id        uuid             NOT NULL,
    scope                  text COLLATE "C" NOT NULL,
    direction              text COLLATE "C" NOT NULL,
    list_type              text COLLATE "C" NOT NULL,
    entry                  text COLLATE "C" NOT NULL,
    reason                 text COLLATE "C",
    created_at             timestamptz      NOT NULL,
    require_authentication boolean          NOT NULL DEFAULT false,
    CONSTRAINT list_entries_pkey PRIMARY KEY (organization_id, scope, direction, list_type, entry),
    CONSTRAINT list_entries_direction_check CHECK (direction IN ('send', 'receive', 'reply')),
    CONSTRAINT list_entries_list_type_check CHECK (list_type IN ('allow', 'block'))
);

-- An address to which an organization no longer sends, in normal form.
CREATE TABLE suppressions (
    organization_id uuid             NOT NULL,
    address         text COLLATE "C" NOT NULL,
    reason          text COLLATE "C" NOT NULL,
    created_at      timestamptz      NOT NULL,
    CONSTRAINT suppressions_pkey PRIMARY KEY (organization_id, address),
    CONSTRAINT suppressions_reason_check CHECK (reason IN ('bounce', 'complaint'))
);

CREATE INDEX suppressions_list ON suppressions (organization_id, created_at, address);

-- A correspondent of an inbox by normalized address, deleted by a caller, or as one of the oldest beyond the capacity of the
-- inbox. The counters are in no index, so that counting moves no index row. first_sent_at: first message of the inbox to the
-- address, which makes it a correspondent. decision: of a person.
CREATE TABLE contacts (
    organization_id     uuid             NOT NULL,
    inbox_id            text COLLATE "C" NOT NULL,
    address             text COLLATE "C" NOT NULL,
    name                text COLLATE "C",
    decision            text COLLATE "C",
    received_count      bigint           NOT NULL,
    authenticated_count bigint           NOT NULL,
    sent_count          bigint           NOT NULL,
    received_at         timestamptz,
    sent_at             timestamptz,
    first_sent_at       timestamptz,
    created_at          timestamptz      NOT NULL,
    updated_at          timestamptz      NOT NULL,
    CONSTRAINT contacts_decision_check CHECK (decision IN ('trusted', 'blocked')),
    CONSTRAINT contacts_counts_check CHECK (received_count >= 0 AND authenticated_count >= 0 AND sent_count >= 0)
);

CREATE INDEX contacts_list ON contacts (organization_id, inbox_id, created_at, address);
CREATE INDEX contacts_decided ON contacts (organization_id) WHERE decision IS NOT NULL;
CREATE INDEX contacts_of_address ON contacts (organization_id, address);
CREATE INDEX contacts_corresponded ON contacts (organization_id, first_sent_at) WHERE first_sent_at IS NOT NULL;
-- Last, like the primary key of threads.
ALTER TABLE contacts ADD CONSTRAINT contacts_pkey PRIMARY KEY (organization_id, inbox_id, address);

-- ---------------------------------------------------------------------------------------------------------------------
-- Outgoing mail

-- A queued mail, deleted after its last attempt. sealed: the encrypted mail, when it has no message. raw: frame of the raw
-- mail of a message that was deleted while queued, or blob_id: its object. None of them: the content of the message.
-- destination: common domain or address of all recipients; empty when the route is the same for all mail.
-- claim_id: claim of the last attempt, valid until due_at.
-- is_delay_told: whether the sender received a delay notice.
-- held_due_at: due time of a held mail before the hold; due_at is then in the year 9999, beyond all claims.
-- is_code: a code, which precedes the mail of tenants. Other system mail, such as invitations, belongs to its organization.
-- deferral: reason of the last deferral.
-- traceparent: trace of the request that sent the message, for the events about its delivery.
-- share_id: share of the permits for deliveries that the mail uses: that of its organization, or the one of all codes.
CREATE TABLE outgoing (
    organization_id uuid             NOT NULL,
    outgoing_id     uuid             NOT NULL,
    pod_id          uuid,
    inbox_id        text COLLATE "C",
    thread_id       uuid,
    message_id      text COLLATE "C",
    route           text COLLATE "C" NOT NULL,
    envelope_from   text COLLATE "C" NOT NULL,
    recipients      text[]           NOT NULL,
    sealed          bytea,
    raw             bytea,
    attempts        integer          NOT NULL,
    created_at      timestamptz      NOT NULL,
    due_at          timestamptz      NOT NULL,
    destination     text COLLATE "C" NOT NULL DEFAULT '',
    claim_id        uuid,
    is_delay_told   boolean          NOT NULL DEFAULT false,
    held_due_at     timestamptz,
    is_code         boolean          NOT NULL DEFAULT false,
    deferral        text COLLATE "C",
    traceparent     text COLLATE "C",
    blob_id         uuid,
    share_id        uuid             NOT NULL GENERATED ALWAYS AS (
        CASE WHEN is_code THEN '00000000-0000-0000-0000-000000000000'::uuid ELSE organization_id END) STORED,
    CONSTRAINT outgoing_pkey PRIMARY KEY (organization_id, outgoing_id),
    CONSTRAINT outgoing_route_check CHECK (route IN ('local', 'remote')),
    CONSTRAINT outgoing_attempts_check CHECK (attempts >= 0)
);
-- A queue may have a single destination at one moment and very many at the next. With the counted number the planner would
-- look for the messages to a destination among all due ones.
ALTER TABLE outgoing
    ALTER COLUMN raw SET STORAGE EXTERNAL,
    ALTER COLUMN destination SET (n_distinct = 1000);

CREATE INDEX outgoing_by_id ON outgoing (outgoing_id);
CREATE INDEX outgoing_of_message ON outgoing (organization_id, inbox_id, message_id) WHERE message_id IS NOT NULL;
CREATE INDEX outgoing_own_due ON outgoing (due_at) WHERE is_code;
CREATE INDEX outgoing_due ON outgoing (due_at) WHERE NOT is_code;
-- Finds inboxes with held messages without reading the queue.
CREATE INDEX outgoing_held ON outgoing (organization_id, inbox_id) WHERE held_due_at IS NOT NULL AND NOT is_code;
CREATE INDEX outgoing_blobs ON outgoing (organization_id, blob_id) WHERE blob_id IS NOT NULL;
-- A claim finds the due messages of a share, and its destinations, in one index each.
CREATE INDEX outgoing_due_of_share ON outgoing (share_id, due_at);
CREATE INDEX outgoing_of_share ON outgoing (share_id, destination, due_at);

-- A mail sent to external recipients, by the id in its return path, so that a report finds its message. The ids start with
-- their time, so old rows are purged along the second index.
--
-- told has a bit set for each recipient, in their order: 1 delayed, 2 failed, 4 complained. The first one has also 8: a
-- complaint of an unnamed recipient.
CREATE TABLE return_paths (
    organization_id uuid             NOT NULL,
    outgoing_id     uuid             NOT NULL,
    pod_id          uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    thread_id       uuid             NOT NULL,
    message_id      text COLLATE "C" NOT NULL,
    recipients      text[]           NOT NULL,
    told            smallint[]       NOT NULL,
    CONSTRAINT return_paths_pkey PRIMARY KEY (organization_id, outgoing_id)
);

-- A report contains only the id.
CREATE INDEX return_paths_by_id ON return_paths (outgoing_id);

-- An attempt to deliver a message of an inbox, dropped with its week. results: recipients with the same outcome, reply and
-- server. next_attempt_at: null after the last attempt.
CREATE TABLE delivery_attempts (
    organization_id uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    attempted_at    timestamptz      NOT NULL,
    attempt_id      uuid             NOT NULL,
    pod_id          uuid             NOT NULL,
    thread_id       uuid             NOT NULL,
    message_id      text COLLATE "C" NOT NULL,
    attempt         integer          NOT NULL,
    results         jsonb            NOT NULL,
    next_attempt_at timestamptz,
    CONSTRAINT delivery_attempts_pkey PRIMARY KEY (organization_id, inbox_id, attempted_at, attempt_id),
    CONSTRAINT delivery_attempts_attempt_check CHECK (attempt >= 0)
) PARTITION BY RANGE (attempted_at);

CREATE INDEX delivery_attempts_of_message
    ON delivery_attempts (organization_id, inbox_id, message_id, attempted_at, attempt_id);

-- A captured mail, which belongs to the operator, so its key has no organization. organization_id, inbox_id, message_id: its
-- message, whose redaction deletes it; service messages have none. Only the newest stay.
CREATE TABLE captured (
    captured_id     bigint GENERATED ALWAYS AS IDENTITY,
    envelope_from   text COLLATE "C" NOT NULL,
    recipients      text[]           NOT NULL,
    sealed          bytea            NOT NULL,
    captured_at     timestamptz      NOT NULL,
    organization_id uuid,
    inbox_id        text COLLATE "C",
    message_id      text COLLATE "C",
    CONSTRAINT captured_pkey PRIMARY KEY (captured_id)
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Calendar

-- An event of an inbox, read from an invitation or made by a client, deleted by a client or with the message that it was last
-- read from. original_start is empty for an event as a whole, and names one date of a recurring event otherwise. event_id is
-- the public id; ends_at is infinity for an event that repeats for ever. origin_message_id: the message that the event was
-- last read from; empty for one of a client.
-- client_key: digest of the client_id with which a client created the event. A later event with the same client_id has
-- another uid, so that calendar programs do not take it for the deleted one.
-- next_moment_at: next start or end of the event or one of its dates, or a time at which to look for one; null without any.
-- After a failure it is not looked at before moment_retry_at.
CREATE TABLE calendar_events (
    organization_id   uuid             NOT NULL,
    inbox_id          text COLLATE "C" NOT NULL,
    event_id          text COLLATE "C" NOT NULL,
    series_id         uuid             NOT NULL,
    uid               text COLLATE "C" NOT NULL,
    original_start    text COLLATE "C" NOT NULL,
    origin_message_id text COLLATE "C" NOT NULL,
    content           jsonb            NOT NULL,
    starts_at         timestamptz      NOT NULL,
    ends_at           timestamptz      NOT NULL,
    created_at        timestamptz      NOT NULL,
    updated_at        timestamptz      NOT NULL,
    client_key        text COLLATE "C",
    next_moment_at    timestamptz,
    moment_retry_at   timestamptz,
    CONSTRAINT calendar_events_pkey PRIMARY KEY (organization_id, inbox_id, event_id)
);

CREATE UNIQUE INDEX calendar_events_by_uid ON calendar_events (organization_id, inbox_id, uid, original_start);
CREATE INDEX calendar_events_listed ON calendar_events (organization_id, inbox_id, updated_at, event_id);
CREATE INDEX calendar_events_of_message ON calendar_events (organization_id, inbox_id, origin_message_id);
CREATE INDEX calendar_events_by_end ON calendar_events (organization_id, inbox_id, ends_at);
CREATE UNIQUE INDEX calendar_events_by_client ON calendar_events (organization_id, inbox_id, client_key)
    WHERE client_key IS NOT NULL;
CREATE INDEX calendar_events_by_moment ON calendar_events (next_moment_at) WHERE next_moment_at IS NOT NULL;

-- The settings of a calendar that a client changed, deleted with the inbox. revision counts all writes. feed_digest: SHA-256
-- of the token of its secret URL.
CREATE TABLE calendar_settings (
    organization_id uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    timezone        text COLLATE "C" NOT NULL,
    revision        bigint           NOT NULL,
    updated_at      timestamptz      NOT NULL,
    feed_digest     bytea,
    CONSTRAINT calendar_settings_pkey PRIMARY KEY (organization_id, inbox_id),
    CONSTRAINT calendar_settings_revision_check CHECK (revision >= 0)
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Files

-- A file of an inbox, deleted by a client, at its end or with the inbox. Its size counts as storage from its creation.
-- ends_at: the time at which it is gone.
CREATE TABLE files (
    organization_id uuid             NOT NULL,
    file_id         uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    path            text COLLATE "C" NOT NULL,
    content_type    text             NOT NULL,
    size            bigint           NOT NULL,
    sha256          bytea            NOT NULL,
    is_ready        boolean          NOT NULL,
    created_by      text             NOT NULL,
    expires_at      timestamptz,
    ends_at         timestamptz,
    created_at      timestamptz      NOT NULL,
    updated_at      timestamptz      NOT NULL,
    CONSTRAINT files_pkey PRIMARY KEY (organization_id, file_id),
    CONSTRAINT files_size_check CHECK (size >= 0)
);

CREATE UNIQUE INDEX files_path_key ON files (organization_id, inbox_id, path);
CREATE INDEX files_ends ON files (ends_at) WHERE ends_at IS NOT NULL;

-- The content of a file, deleted with it. blob_id: its object instead of content.
CREATE TABLE file_contents (
    organization_id uuid  NOT NULL,
    file_id         uuid  NOT NULL,
    content         bytea,
    blob_id         uuid,
    CONSTRAINT file_contents_pkey PRIMARY KEY (organization_id, file_id)
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Contents outside the rows

-- An object of a store. The row of a content refers to its object by blob_id, and has no content then. Each object has one
-- such row. A queued mail that took over the raw mail of a deleted message refers to it as well.
CREATE TABLE blobs (
    organization_id uuid             NOT NULL,
    blob_id         uuid             NOT NULL,
    name            text COLLATE "C" NOT NULL,
    store           text COLLATE "C" NOT NULL,
    bytes           bigint           NOT NULL,
    sha256          bytea            NOT NULL,
    stored_at       timestamptz      NOT NULL,
    CONSTRAINT blobs_pkey PRIMARY KEY (organization_id, blob_id),
    CONSTRAINT blobs_store_known CHECK (store IN ('file', 's3')),
    CONSTRAINT blobs_bytes_check CHECK (bytes >= 0)
);

-- An object without the row of its content, deleted with the object. It goes after a retention, counted from removed_at: a
-- backup of the database from before still finds it. That of a redacted content is the epoch, so its object goes at once.
CREATE TABLE blob_removals (
    organization_id uuid             NOT NULL,
    blob_id         uuid             NOT NULL,
    name            text COLLATE "C" NOT NULL,
    store           text COLLATE "C" NOT NULL,
    bytes           bigint           NOT NULL,
    sha256          bytea            NOT NULL,
    stored_at       timestamptz      NOT NULL,
    removed_at      timestamptz      NOT NULL,
    CONSTRAINT blob_removals_pkey PRIMARY KEY (organization_id, blob_id),
    CONSTRAINT blob_removals_store_check CHECK (store IN ('file', 's3')),
    CONSTRAINT blob_removals_bytes_check CHECK (bytes >= 0)
);

CREATE INDEX blob_removals_due ON blob_removals (removed_at);

-- The progress of the search for objects without rows in a store.
CREATE TABLE blob_sweeps (
    store  text COLLATE "C" NOT NULL,
    after  text COLLATE "C",
    due_at timestamptz      NOT NULL,
    CONSTRAINT blob_sweeps_pkey PRIMARY KEY (store),
    CONSTRAINT blob_sweeps_store_check CHECK (store IN ('file', 's3'))
);

-- Triggers instead of a part of each statement that deletes: none can forget an object.
CREATE FUNCTION release_blob() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    WITH released AS (
        DELETE FROM blobs WHERE organization_id = OLD.organization_id AND blob_id = OLD.blob_id
        RETURNING organization_id, blob_id, name, store, bytes, sha256, stored_at
    )
    INSERT INTO blob_removals (organization_id, blob_id, name, store, bytes, sha256, stored_at, removed_at)
    SELECT organization_id, blob_id, name, store, bytes, sha256, stored_at, date_trunc('milliseconds', now())
    FROM released;
    RETURN NULL;
END
$$;

CREATE TRIGGER message_bodies_blob_deleted AFTER DELETE ON message_bodies
    FOR EACH ROW WHEN (OLD.blob_id IS NOT NULL) EXECUTE FUNCTION release_blob();
CREATE TRIGGER message_bodies_blob_replaced AFTER UPDATE OF blob_id ON message_bodies
    FOR EACH ROW WHEN (OLD.blob_id IS DISTINCT FROM NEW.blob_id AND OLD.blob_id IS NOT NULL)
    EXECUTE FUNCTION release_blob();
CREATE TRIGGER draft_attachments_blob_deleted AFTER DELETE ON draft_attachments
    FOR EACH ROW WHEN (OLD.blob_id IS NOT NULL) EXECUTE FUNCTION release_blob();
CREATE TRIGGER draft_attachments_blob_replaced AFTER UPDATE OF blob_id ON draft_attachments
    FOR EACH ROW WHEN (OLD.blob_id IS DISTINCT FROM NEW.blob_id AND OLD.blob_id IS NOT NULL)
    EXECUTE FUNCTION release_blob();
CREATE TRIGGER file_contents_blob_deleted AFTER DELETE ON file_contents
    FOR EACH ROW WHEN (OLD.blob_id IS NOT NULL) EXECUTE FUNCTION release_blob();
CREATE TRIGGER file_contents_blob_replaced AFTER UPDATE OF blob_id ON file_contents
    FOR EACH ROW WHEN (OLD.blob_id IS DISTINCT FROM NEW.blob_id AND OLD.blob_id IS NOT NULL)
    EXECUTE FUNCTION release_blob();

-- ---------------------------------------------------------------------------------------------------------------------
-- Refusals and reports

-- Mail for an inbox that was refused at SMTP, for seven days. A row counts refusals with the same client network, sender and
-- reason within one hour, and has the details of the first. refused_at: its time. envelope_from: null for a report. The
-- oldest are deleted beyond a number of an inbox and of an organization.
CREATE TABLE smtp_refusals (
    organization_id uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    refusal_id      uuid             NOT NULL,
    refused_at      timestamptz      NOT NULL,
    last_refused_at timestamptz      NOT NULL,
    refusals        bigint           NOT NULL,
    client          text COLLATE "C" NOT NULL,
    helo            text COLLATE "C" NOT NULL,
    envelope_from   text COLLATE "C",
    recipient       text COLLATE "C" NOT NULL,
    stage           text COLLATE "C" NOT NULL,
    code            integer          NOT NULL,
    status          text COLLATE "C" NOT NULL,
    reply           text COLLATE "C" NOT NULL,
    CONSTRAINT smtp_refusals_pkey PRIMARY KEY (organization_id, inbox_id, refusal_id),
    CONSTRAINT smtp_refusals_refusals_check CHECK (refusals >= 0),
    CONSTRAINT smtp_refusals_stage_check CHECK (stage IN ('rcpt', 'data'))
);

CREATE INDEX smtp_refusals_of_inbox ON smtp_refusals (organization_id, inbox_id, refused_at, refusal_id);
CREATE INDEX smtp_refusals_of_organization ON smtp_refusals (organization_id, refused_at, refusal_id);
CREATE INDEX smtp_refusals_expiry ON smtp_refusals (refused_at);

-- A mail to postmaster@ or abuse@ of the service without a receiving inbox: the newest, for the operator. content is
-- truncated when size is larger.
CREATE TABLE operator_mail (
    mail_id       uuid             NOT NULL,
    digest        bytea            NOT NULL,
    received_at   timestamptz      NOT NULL,
    network       text COLLATE "C" NOT NULL,
    envelope_from text COLLATE "C",
    recipient     text COLLATE "C" NOT NULL,
    subject       text COLLATE "C",
    size          bigint           NOT NULL,
    content       bytea            NOT NULL,
    CONSTRAINT operator_mail_pkey PRIMARY KEY (mail_id),
    CONSTRAINT operator_mail_digest_key UNIQUE (digest),
    CONSTRAINT operator_mail_size_check CHECK (size >= 0)
);

-- An aggregate report of another mail server (DMARC, SMTP TLS) about a domain of the service or of a customer. It is evicted
-- within the capacity of its share and of all, and deleted after the retention. share: registered domain of its sender, or
-- network of its client. sender: null for one that is not authenticated.
CREATE TABLE mail_reports (
    mail_report_id  uuid             NOT NULL,
    digest          bytea            NOT NULL,
    domain          text COLLATE "C" NOT NULL,
    kind            text COLLATE "C" NOT NULL,
    received_at     timestamptz      NOT NULL,
    share           text COLLATE "C" NOT NULL,
    organization_id uuid,
    base_domain     text COLLATE "C" NOT NULL,
    sender          text COLLATE "C",
    content         text COLLATE "C" NOT NULL,
    bytes           integer          NOT NULL,
    CONSTRAINT mail_reports_pkey PRIMARY KEY (mail_report_id),
    CONSTRAINT mail_reports_digest_key UNIQUE (digest, domain),
    CONSTRAINT mail_reports_kind_check CHECK (kind IN ('dmarc', 'tls')),
    CONSTRAINT mail_reports_bytes_check CHECK (bytes >= 0)
);

CREATE INDEX mail_reports_received ON mail_reports (received_at);

-- ---------------------------------------------------------------------------------------------------------------------
-- References within an organization
--
-- Each key contains organization_id. A row of a parent outlives those of its children: the statements delete children first
-- or in the same statement. Rows that are written with received and sent mail have no key, and neither have those that
-- outlive what they name: docs/adr/0045-foreign-keys-of-cold-tables.md lists them with their reasons, and says why the row
-- locks of the checks (FOR KEY SHARE) cause no deadlock.

ALTER TABLE verification_codes
    ADD CONSTRAINT verification_codes_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations;
ALTER TABLE pods
    ADD CONSTRAINT pods_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations;
ALTER TABLE members
    ADD CONSTRAINT members_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations;
ALTER TABLE api_keys
    ADD CONSTRAINT api_keys_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations,
    ADD CONSTRAINT api_keys_pod_fkey FOREIGN KEY (organization_id, pod_id) REFERENCES pods,
    ADD CONSTRAINT api_keys_member_fkey FOREIGN KEY (organization_id, member_id) REFERENCES members;
ALTER TABLE oauth_grants
    ADD CONSTRAINT oauth_grants_member_fkey FOREIGN KEY (organization_id, member_id) REFERENCES members;
ALTER TABLE oauth_refresh_tokens
    ADD CONSTRAINT oauth_refresh_tokens_connection_fkey
        FOREIGN KEY (organization_id, connection_id) REFERENCES oauth_grants;
ALTER TABLE subscriptions
    ADD CONSTRAINT subscriptions_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations;
ALTER TABLE payment_events
    ADD CONSTRAINT payment_events_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations;
ALTER TABLE domains
    ADD CONSTRAINT domains_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations,
    ADD CONSTRAINT domains_pod_fkey FOREIGN KEY (organization_id, pod_id) REFERENCES pods;
ALTER TABLE inboxes
    ADD CONSTRAINT inboxes_pod_fkey FOREIGN KEY (organization_id, pod_id) REFERENCES pods;
ALTER TABLE legal_holds
    ADD CONSTRAINT legal_holds_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations;
ALTER TABLE sending_policies
    ADD CONSTRAINT sending_policies_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations;
ALTER TABLE list_entries
    ADD CONSTRAINT list_entries_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations;
ALTER TABLE webhooks
    ADD CONSTRAINT webhooks_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations,
    ADD CONSTRAINT webhooks_pod_fkey FOREIGN KEY (organization_id, pod_id) REFERENCES pods,
    ADD CONSTRAINT webhooks_inbox_fkey FOREIGN KEY (organization_id, inbox_id) REFERENCES inboxes;
ALTER TABLE notes
    ADD CONSTRAINT notes_thread_fkey FOREIGN KEY (organization_id, inbox_id, thread_id) REFERENCES threads;
ALTER TABLE drafts
    ADD CONSTRAINT drafts_inbox_fkey FOREIGN KEY (organization_id, inbox_id) REFERENCES inboxes;
ALTER TABLE draft_attachments
    ADD CONSTRAINT draft_attachments_draft_fkey FOREIGN KEY (organization_id, draft_id) REFERENCES drafts;
ALTER TABLE calendar_events
    ADD CONSTRAINT calendar_events_inbox_fkey FOREIGN KEY (organization_id, inbox_id) REFERENCES inboxes;
ALTER TABLE calendar_settings
    ADD CONSTRAINT calendar_settings_inbox_fkey FOREIGN KEY (organization_id, inbox_id) REFERENCES inboxes;
ALTER TABLE files
    ADD CONSTRAINT files_inbox_fkey FOREIGN KEY (organization_id, inbox_id) REFERENCES inboxes;
ALTER TABLE file_contents
    ADD CONSTRAINT file_contents_file_fkey FOREIGN KEY (organization_id, file_id) REFERENCES files;

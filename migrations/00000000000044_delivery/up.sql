-- MTA-STS policies of domains (RFC 8461), shared by all processes. bytes: what the row counts for. used_at: the last use, at
-- most a day behind. How to read it: migrations/README.md.
CREATE TABLE sts_policies (
    domain     text COLLATE "C"   NOT NULL,
    policy_id  text COLLATE "C"   NOT NULL,
    mode       text COLLATE "C"   NOT NULL,
    hosts      text[] COLLATE "C" NOT NULL,
    bytes      bigint             NOT NULL,
    fetched_at timestamptz        NOT NULL,
    expires_at timestamptz        NOT NULL,
    used_at    timestamptz        NOT NULL,
    CONSTRAINT sts_policies_pkey PRIMARY KEY (domain)
);

-- Mail to postmaster@ and abuse@ of the service that no inbox receives: the newest, for the operator. content is cut where
-- size is more.
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
    CONSTRAINT operator_mail_digest_key UNIQUE (digest)
);

-- MTA-STS policies of domains (RFC 8461), shared by all processes. bytes: size of the row in the cache. used_at: last
-- use, at most a day old. Conventions: migrations/README.md.
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

-- Mail to postmaster@ and abuse@ of the service without a receiving inbox: the newest, for the operator. content is
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
    CONSTRAINT operator_mail_digest_key UNIQUE (digest)
);

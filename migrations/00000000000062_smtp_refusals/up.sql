-- Mail for inboxes that was refused at SMTP, for seven days. A row counts refusals with the same client network, sender and
-- reason within one hour, and has the details of the first. refused_at: its time. envelope_from: null for a report.
-- Conventions: migrations/README.md.
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
    CONSTRAINT smtp_refusals_pkey PRIMARY KEY (organization_id, inbox_id, refusal_id)
);

CREATE INDEX smtp_refusals_of_inbox ON smtp_refusals (organization_id, inbox_id, refused_at, refusal_id);
CREATE INDEX smtp_refusals_of_organization ON smtp_refusals (organization_id, refused_at, refusal_id);
CREATE INDEX smtp_refusals_expiry ON smtp_refusals (refused_at);

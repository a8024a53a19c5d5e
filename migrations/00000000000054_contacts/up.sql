-- Correspondents of an inbox by normalized address. The counters are in no index, so that counting moves no index row.
-- first_sent_at: first message of the inbox to the address, which makes it a correspondent. decision: trusted or blocked.
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
    CONSTRAINT contacts_decision_check CHECK (decision IN ('trusted', 'blocked'))
);

CREATE INDEX contacts_list ON contacts (organization_id, inbox_id, created_at, address);
CREATE INDEX contacts_decided ON contacts (organization_id) WHERE decision IS NOT NULL;
CREATE INDEX contacts_of_address ON contacts (organization_id, address);
CREATE INDEX contacts_corresponded ON contacts (organization_id, first_sent_at) WHERE first_sent_at IS NOT NULL;
ALTER TABLE contacts ADD CONSTRAINT contacts_pkey PRIMARY KEY (organization_id, inbox_id, address);

-- The correspondents of messages that the inboxes already have. Later messages count by themselves.
INSERT INTO contacts (organization_id, inbox_id, address, received_count, authenticated_count, sent_count, received_at,
    sent_at, first_sent_at, created_at, updated_at)
SELECT organization_id, inbox_id, address, count(*) FILTER (WHERE NOT was_sent),
    count(*) FILTER (WHERE is_authenticated), count(*) FILTER (WHERE was_sent),
    max(timestamp) FILTER (WHERE NOT was_sent), max(timestamp) FILTER (WHERE was_sent),
    min(timestamp) FILTER (WHERE was_sent), min(timestamp), min(timestamp)
FROM (
    SELECT m.organization_id, m.inbox_id, m.timestamp, false AS was_sent,
        lower(coalesce(substring(m.from_ FROM '<([^<>]*)>$'), m.from_)) AS address,
        coalesce(b.authentication ->> 'dmarc' = 'pass', false) AS is_authenticated
    FROM messages m JOIN message_bodies b USING (organization_id, inbox_id, message_id)
    WHERE m.sent_by IS NULL AND m.hidden = 0
    UNION ALL
    SELECT m.organization_id, m.inbox_id, m.timestamp, true,
        lower(coalesce(substring(recipient FROM '<([^<>]*)>$'), recipient)), false
    FROM messages m CROSS JOIN LATERAL unnest(m.to_ || m.cc || m.bcc) AS r(recipient)
    WHERE m.sent_by IS NOT NULL
) written
WHERE address ~ '^[^@[:space:]]+@[^@[:space:]]+$' AND octet_length(address) <= 254 AND address <> inbox_id
GROUP BY organization_id, inbox_id, address;

-- Verdict and reasons of received messages; those of a thread are those of its newest received message. Contacts replace
-- the index by sender.
ALTER TABLE messages ADD COLUMN trust jsonb;
ALTER TABLE threads ADD COLUMN trust jsonb;
DROP INDEX messages_of_sender;
CREATE INDEX messages_judged ON messages (organization_id, inbox_id, (trust ->> 'verdict'), hidden, timestamp, message_id)
    WHERE trust IS NOT NULL;
CREATE INDEX threads_judged ON threads (organization_id, inbox_id, (trust ->> 'verdict'), visible, timestamp, thread_id)
    WHERE trust IS NOT NULL;

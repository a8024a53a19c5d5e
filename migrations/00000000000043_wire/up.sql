-- Bytes of a draft in the storage of its inbox: addresses, texts and attachments.
ALTER TABLE drafts ADD COLUMN size bigint NOT NULL DEFAULT 0;

UPDATE drafts d SET size = coalesce(octet_length(d.subject), 0) + coalesce(octet_length(d.text), 0)
    + coalesce(octet_length(d.html), 0)
    + (SELECT coalesce(sum(octet_length(a.address)), 0) FROM unnest(d.to_ || d.cc || d.bcc || d.reply_to) AS a(address))
    + (SELECT coalesce(sum((a.attachment ->> 'size')::bigint), 0) FROM jsonb_array_elements(d.attachments) AS a(attachment));

INSERT INTO inbox_usage (organization_id, inbox_id, storage_bytes, messages, threads)
SELECT s.organization_id, s.inbox_id, sum(s.size)::bigint, 0, 0
FROM (
    SELECT organization_id, inbox_id, size FROM drafts
    UNION ALL
    SELECT organization_id, inbox_id, octet_length(text) FROM notes
) s
GROUP BY s.organization_id, s.inbox_id
ON CONFLICT (organization_id, inbox_id) DO UPDATE SET
    storage_bytes = inbox_usage.storage_bytes + excluded.storage_bytes;

-- Creations of an organization by day, of all rows that outlive deletion: addresses, keys, pods, domains, client_ids.
CREATE TABLE creation_counts (
    organization_id uuid   NOT NULL,
    day             date   NOT NULL,
    count           bigint NOT NULL,
    CONSTRAINT creation_counts_pkey PRIMARY KEY (organization_id, day)
);

-- Whether a domain receives mail here, and its catch-all inbox.
ALTER TABLE domains
    ADD COLUMN inbound_enabled    boolean NOT NULL DEFAULT true,
    ADD COLUMN catch_all_inbox_id text COLLATE "C";

-- The envelope recipient of a message, and its tag after `+`. Most mail is addressed to the inbox itself, which lists
-- find with their own index.
ALTER TABLE messages
    ADD COLUMN delivered_to text COLLATE "C",
    ADD COLUMN tag          text COLLATE "C";
CREATE INDEX messages_to_other ON messages (organization_id, inbox_id, delivered_to, hidden, timestamp, message_id)
    WHERE delivered_to <> inbox_id;
CREATE INDEX messages_tagged ON messages (organization_id, inbox_id, tag, hidden, timestamp, message_id)
    WHERE tag IS NOT NULL;

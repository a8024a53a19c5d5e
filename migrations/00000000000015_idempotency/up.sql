-- Idempotency keys of sends. request: SHA-256 of the request. claim_id, claimed_until: the current sender and the end
-- of its exclusive claim. message_id, thread_id: the response, written by the unit of work that stored the message;
-- null while the send runs. used_at: time of the claim, then of the response.
CREATE TABLE send_keys (
    organization_id uuid             NOT NULL,
    key             text COLLATE "C" NOT NULL,
    request         bytea            NOT NULL,
    claim_id        uuid             NOT NULL,
    claimed_until   timestamptz      NOT NULL,
    message_id      text COLLATE "C",
    thread_id       uuid,
    used_at         timestamptz      NOT NULL,
    CONSTRAINT send_keys_pkey PRIMARY KEY (organization_id, key),
    CONSTRAINT send_keys_request_check CHECK (octet_length(request) = 32),
    CONSTRAINT send_keys_answer_check CHECK ((message_id IS NULL) = (thread_id IS NULL))
);

CREATE INDEX send_keys_used_at ON send_keys (used_at);

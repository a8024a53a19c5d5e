-- Verification codes of received messages, for 24 hours, also after their message is gone: policies of sending ask for them.
-- sealed: sender and codes, encrypted with the key of the server.
CREATE TABLE received_codes (
    organization_id uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    received_at     timestamptz      NOT NULL,
    message_id      text COLLATE "C" NOT NULL,
    sealed          bytea            NOT NULL,
    CONSTRAINT received_codes_pkey PRIMARY KEY (organization_id, inbox_id, received_at, message_id)
);

CREATE INDEX received_codes_over ON received_codes (received_at);

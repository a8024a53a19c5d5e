-- Settings of calendars that a client changed. Events of clients have no message: their origin_message_id is empty.
CREATE TABLE calendar_settings (
    organization_id uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    timezone        text COLLATE "C" NOT NULL,
    revision        bigint           NOT NULL,
    updated_at      timestamptz      NOT NULL,
    CONSTRAINT calendar_settings_pkey PRIMARY KEY (organization_id, inbox_id)
);

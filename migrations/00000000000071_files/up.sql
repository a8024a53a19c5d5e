-- Files of inboxes. Their size counts as storage from their creation; `ends_at` is the time at which they are gone.
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
    CONSTRAINT files_pkey PRIMARY KEY (organization_id, file_id)
);
CREATE UNIQUE INDEX files_path_key ON files (organization_id, inbox_id, path);
CREATE INDEX files_ends ON files (ends_at) WHERE ends_at IS NOT NULL;
CREATE TABLE file_contents (
    organization_id uuid  NOT NULL,
    file_id         uuid  NOT NULL,
    content         bytea NOT NULL,
    CONSTRAINT file_contents_pkey PRIMARY KEY (organization_id, file_id)
);

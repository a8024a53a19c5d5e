-- Pods: found by their client_id, and retained as a row after deletion.
ALTER TABLE pods
    ADD COLUMN client_id  text COLLATE "C",
    ADD COLUMN deleted_at timestamptz;

CREATE UNIQUE INDEX pods_client_id_key ON pods (organization_id, client_id) WHERE client_id IS NOT NULL;
CREATE INDEX pods_list ON pods (organization_id, created_at, pod_id) WHERE deleted_at IS NULL;
CREATE INDEX api_keys_of_pod ON api_keys (organization_id, pod_id, created_at, api_key_id)
    WHERE revoked_at IS NULL AND pod_id IS NOT NULL;

-- Indexes for the threads of a whole organization. Those of a pod are merged from the walks of its inboxes.
CREATE INDEX threads_of_organization ON threads (organization_id, visible, timestamp, thread_id);
CREATE INDEX threads_of_assignee_anywhere ON threads (organization_id, assignee_id, visible, timestamp, thread_id)
    WHERE assignee_id IS NOT NULL;
CREATE INDEX threads_by_id ON threads (organization_id, thread_id);
CREATE INDEX thread_labels_of_organization ON thread_labels (organization_id, label, visible, timestamp, thread_id);

-- Notes of people and keys on a thread, deleted with the thread.
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

-- Counted columns are in the indexes of the events, so that counts read only the indexes.
ALTER TABLE events
    DROP CONSTRAINT events_pkey,
    ADD CONSTRAINT events_pkey PRIMARY KEY (organization_id, created_at, event_id) INCLUDE (event_type, pod_id);
DROP INDEX events_of_inbox;
CREATE INDEX events_of_inbox ON events (organization_id, inbox_id, created_at, event_id) INCLUDE (event_type);

-- Usage samples, at most one an hour, when a value changed. Scope: an organization has the nil pod_id and no inbox_id,
-- a pod its pod_id, an inbox its inbox_id alone. taken_at lies within the hour.
CREATE TABLE usage_samples (
    organization_id uuid             NOT NULL,
    pod_id          uuid             NOT NULL,
    inbox_id        text COLLATE "C" NOT NULL,
    hour            timestamptz      NOT NULL,
    taken_at        timestamptz      NOT NULL,
    storage_bytes   bigint           NOT NULL,
    message_count   bigint           NOT NULL,
    thread_count    bigint           NOT NULL,
    inbox_count     bigint           NOT NULL,
    pod_count       bigint           NOT NULL,
    domain_count    bigint           NOT NULL,
    CONSTRAINT usage_samples_pkey PRIMARY KEY (organization_id, pod_id, inbox_id, hour)
);

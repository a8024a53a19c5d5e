-- Changes to what decides over mail: one row each, written in the transaction of the change. actor_id is the id of a member
-- or key, or the name of another author. before and after hold facts without secrets.
CREATE TABLE audit_log (
    organization_id uuid             NOT NULL,
    created_at      timestamptz      NOT NULL,
    entry_id        uuid             NOT NULL,
    action          text COLLATE "C" NOT NULL,
    resource_type   text COLLATE "C" NOT NULL,
    resource_id     text COLLATE "C" NOT NULL,
    actor_id        text COLLATE "C" NOT NULL,
    actor           jsonb            NOT NULL,
    client_address  text COLLATE "C",
    before          jsonb,
    after           jsonb,
    CONSTRAINT audit_log_pkey PRIMARY KEY (organization_id, created_at, entry_id)
);

CREATE INDEX audit_log_of_actor ON audit_log (organization_id, actor_id, created_at, entry_id);
CREATE INDEX audit_log_of_action ON audit_log (organization_id, action, created_at, entry_id);
CREATE INDEX audit_log_of_resource ON audit_log (organization_id, resource_id, created_at, entry_id);
CREATE INDEX audit_log_expiry ON audit_log (created_at);

-- Rows are never changed. They are deleted by the purge after the retention, which says so in its transaction, and with
-- the rest of a removed organization.
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND (
        current_setting('inboxd.purges_audit_log', true) = 'on'
        OR EXISTS (SELECT FROM organizations
            WHERE organization_id = OLD.organization_id AND removed_at IS NOT NULL))
    THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'the audit log is append-only';
END
$$;

CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON audit_log
    FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

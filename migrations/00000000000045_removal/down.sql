ALTER TABLE organizations ADD COLUMN deleted_at timestamptz;
CREATE INDEX organizations_deleted ON organizations (deleted_at) WHERE deleted_at IS NOT NULL;

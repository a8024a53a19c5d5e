-- One kind of removal of organizations: removed_at is set for unconfirmed ones and for those that an operator deleted.

UPDATE organizations SET removed_at = deleted_at WHERE removed_at IS NULL AND deleted_at IS NOT NULL;
DROP INDEX organizations_deleted;
ALTER TABLE organizations DROP COLUMN deleted_at;

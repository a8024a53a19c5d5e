-- One removal of organizations: removed_at says it, whether nobody confirmed them or an operator deleted them.

UPDATE organizations SET removed_at = deleted_at WHERE removed_at IS NULL AND deleted_at IS NOT NULL;
DROP INDEX organizations_deleted;
ALTER TABLE organizations DROP COLUMN deleted_at;

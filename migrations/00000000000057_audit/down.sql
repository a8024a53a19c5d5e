DROP TABLE audit_log;
DROP FUNCTION refuse_audit_change();

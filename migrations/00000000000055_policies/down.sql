ALTER TABLE send_keys DROP COLUMN draft_id;
DROP INDEX drafts_approval_over;
ALTER TABLE drafts DROP COLUMN approval, DROP COLUMN approval_expires_at, DROP COLUMN held_mail;
DROP TABLE policy_counts;
DROP TABLE approved_recipients;
DROP TABLE sending_policies;

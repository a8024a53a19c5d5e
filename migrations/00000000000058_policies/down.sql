ALTER TABLE send_keys DROP COLUMN draft_id;
DELETE FROM draft_attachments WHERE attachment_id = '00000000-0000-0000-0000-000000000000';
DROP INDEX drafts_approval_over;
ALTER TABLE drafts DROP COLUMN approval, DROP COLUMN approval_expires_at;
DROP TABLE policy_counts;
DROP TABLE sending_policies;

-- Texts that were read stay searchable.
UPDATE message_bodies SET attachments_due_at = NULL WHERE attachments_due_at IS NOT NULL;

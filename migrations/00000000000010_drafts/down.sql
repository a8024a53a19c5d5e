DROP TABLE draft_client_ids;
DROP TABLE draft_attachments;
DROP TABLE drafts;

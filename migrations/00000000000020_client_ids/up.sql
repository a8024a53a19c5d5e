-- Every client_id that has created a draft, a note, a list entry or an API key, with that resource. The row outlives
-- it.
ALTER TABLE draft_client_ids RENAME TO client_ids;
ALTER TABLE client_ids RENAME COLUMN draft_id TO made;
ALTER TABLE client_ids
    DROP CONSTRAINT draft_client_ids_pkey,
    ADD COLUMN kind text COLLATE "C" NOT NULL DEFAULT 'draft',
    ALTER COLUMN made TYPE text COLLATE "C" USING 'drf_' || replace(made::text, '-', '');
ALTER TABLE client_ids
    ALTER COLUMN kind DROP DEFAULT,
    ADD CONSTRAINT client_ids_pkey PRIMARY KEY (organization_id, kind, client_id);

-- Every client_id that ever made a draft, a note, an entry of a list or an API key, and which: it stays when that is gone.
ALTER TABLE draft_client_ids RENAME TO client_ids;
ALTER TABLE client_ids RENAME COLUMN draft_id TO made;
ALTER TABLE client_ids
    DROP CONSTRAINT draft_client_ids_pkey,
    ADD COLUMN kind text COLLATE "C" NOT NULL DEFAULT 'draft',
    ALTER COLUMN made TYPE text COLLATE "C" USING 'drf_' || replace(made::text, '-', '');
ALTER TABLE client_ids
    ALTER COLUMN kind DROP DEFAULT,
    ADD CONSTRAINT client_ids_pkey PRIMARY KEY (organization_id, kind, client_id);

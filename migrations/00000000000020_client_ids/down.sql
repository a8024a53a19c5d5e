DELETE FROM client_ids WHERE kind <> 'draft';
ALTER TABLE client_ids
    DROP CONSTRAINT client_ids_pkey,
    DROP COLUMN kind,
    ALTER COLUMN made TYPE uuid USING substr(made, 5)::uuid;
ALTER TABLE client_ids RENAME COLUMN made TO draft_id;
ALTER TABLE client_ids RENAME TO draft_client_ids;
ALTER TABLE draft_client_ids ADD CONSTRAINT draft_client_ids_pkey PRIMARY KEY (organization_id, client_id);

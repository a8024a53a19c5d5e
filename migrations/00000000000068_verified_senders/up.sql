-- Whether an entry of an allow list of received mail admits authenticated mail alone.
ALTER TABLE list_entries ADD COLUMN require_authentication boolean NOT NULL DEFAULT false;

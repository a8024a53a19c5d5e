DROP INDEX suppressions_list;
DROP TABLE list_entries;

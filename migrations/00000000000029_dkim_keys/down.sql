DROP TABLE dkim_keys;

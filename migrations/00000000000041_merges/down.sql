DROP TABLE search_unlisted;

DROP TABLE file_contents;
DROP TABLE files;

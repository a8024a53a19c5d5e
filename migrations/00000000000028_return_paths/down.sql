DROP TABLE return_paths;

DROP TABLE label_history;

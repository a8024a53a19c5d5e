DROP TABLE first_reads;

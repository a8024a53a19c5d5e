DROP TABLE send_keys;

DROP TABLE received_codes;

DROP TABLE smtp_refusals;

DROP TABLE sts_policies;
DROP TABLE operator_mail;

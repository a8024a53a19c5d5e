-- Authentication results and spam score of inbound mail. Stored next to the bodies, because lists never show them. NULL
-- for sent mail, and for mail from before this migration.
ALTER TABLE message_bodies
    ADD COLUMN authentication jsonb,
    ADD COLUMN spam jsonb;

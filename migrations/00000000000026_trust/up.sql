-- What was found out about mail that came in: who vouches for it, and how much speaks for spam. Beside the bodies, for
-- lists never show it. NULL for mail that nobody judged: what was sent, and what came before this.
ALTER TABLE message_bodies
    ADD COLUMN authentication jsonb,
    ADD COLUMN spam jsonb;

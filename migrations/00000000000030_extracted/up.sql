-- What a mail hands over to whoever waits for it, codes and links that confirm, and whether it hides words. Beside the
-- bodies, for lists never show it. NULL for mail that came before this: nobody looked.
ALTER TABLE message_bodies ADD COLUMN extracted jsonb;

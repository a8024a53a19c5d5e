-- What a mail hands over to whoever waits for it, codes and links that confirm, and whether it hides words. Beside the
-- bodies, for lists never show it. NULL where there is nothing of the kind, and for mail that came before this.
ALTER TABLE message_bodies ADD COLUMN extracted jsonb;

-- What happens to received mail that shows signs of an attack: off, monitor or hold.
ALTER TABLE organizations ADD COLUMN quarantine text COLLATE "C" NOT NULL DEFAULT 'off';
-- Release of a held message, with its author and reason.
ALTER TABLE messages ADD COLUMN release jsonb;
-- Feedback on the verdict about a message. It is deleted with the message.
ALTER TABLE message_bodies ADD COLUMN feedback jsonb;

ALTER TABLE message_bodies
    DROP COLUMN authentication,
    DROP COLUMN spam;

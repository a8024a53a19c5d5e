-- Received messages by the address of their sender: whether a message is the first of its sender. The hash bounds the
-- width of an entry, because a sender chooses the length of the text.
CREATE INDEX messages_of_sender ON messages (organization_id, inbox_id,
    hashtextextended(lower(coalesce(substring(from_ FROM '<([^<>]*)>$'), from_)), 0), timestamp)
    WHERE sent_by IS NULL;

-- Most mail is from known or new senders: a list of it walks all messages. Only the rare verdicts have an index, because
-- an index of all of them took a sixth of the database's time of receiving.
DROP INDEX messages_judged;
DROP INDEX threads_judged;
CREATE INDEX messages_judged ON messages (organization_id, inbox_id, (trust ->> 'verdict'), hidden, timestamp, message_id)
    WHERE trust ->> 'verdict' IN ('suspicious', 'trusted');
CREATE INDEX threads_judged ON threads (organization_id, inbox_id, (trust ->> 'verdict'), visible, timestamp, thread_id)
    WHERE trust ->> 'verdict' IN ('suspicious', 'trusted');

DROP INDEX messages_judged;
DROP INDEX threads_judged;
CREATE INDEX messages_judged ON messages (organization_id, inbox_id, (trust ->> 'verdict'), hidden, timestamp, message_id)
    WHERE trust IS NOT NULL;
CREATE INDEX threads_judged ON threads (organization_id, inbox_id, (trust ->> 'verdict'), visible, timestamp, thread_id)
    WHERE trust IS NOT NULL;

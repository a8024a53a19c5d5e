-- Calendar event that a message created, changed or answered.
ALTER TABLE messages ADD COLUMN calendar_event_id text COLLATE "C";
-- Events of calendars have content now, which only readers of messages see. A subscription to received mail proves that
-- permission.
UPDATE webhooks SET event_types = ARRAY(SELECT kind FROM unnest(event_types) kind WHERE kind NOT LIKE 'calendar.%')
WHERE event_types::text LIKE '%calendar.%' AND event_types::text NOT LIKE '%message.received%';
UPDATE polling_webhooks SET event_types = ARRAY(SELECT kind FROM unnest(event_types) kind WHERE kind NOT LIKE 'calendar.%')
WHERE event_types::text LIKE '%calendar.%' AND event_types::text NOT LIKE '%message.received%';
-- A polling webhook without event types would read them all.
DELETE FROM polling_webhooks WHERE event_types = '{}';

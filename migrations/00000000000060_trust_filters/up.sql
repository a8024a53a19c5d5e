-- Verdicts of which a webhook wants one in each event of received mail; empty for all mail.
ALTER TABLE webhooks ADD COLUMN trust text[] COLLATE "C" NOT NULL DEFAULT '{}';
-- Verdict of the received mail that an event is about.
ALTER TABLE feed ADD COLUMN verdict text COLLATE "C";
ALTER TABLE feed_pending ADD COLUMN verdict text COLLATE "C";

ALTER TABLE feed_pending DROP COLUMN verdict;
ALTER TABLE feed DROP COLUMN verdict;
ALTER TABLE webhooks DROP COLUMN trust;

DROP INDEX events_of_failures;
ALTER TABLE organizations
    DROP COLUMN brake,
    DROP COLUMN brake_since,
    DROP COLUMN brake_reason,
    DROP COLUMN brake_counts_from;

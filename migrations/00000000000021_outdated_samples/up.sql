-- The old samples of an organization, whatever they are of, and whether or not that is still there.
CREATE INDEX usage_samples_by_hour ON usage_samples (organization_id, hour);

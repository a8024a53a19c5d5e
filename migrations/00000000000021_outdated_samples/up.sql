-- Old samples of an organization for any scope, existing or deleted.
CREATE INDEX usage_samples_by_hour ON usage_samples (organization_id, hour);

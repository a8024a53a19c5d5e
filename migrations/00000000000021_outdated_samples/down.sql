DROP INDEX usage_samples_by_hour;

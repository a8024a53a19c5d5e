DROP TABLE webhook_replays;

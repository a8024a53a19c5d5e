DROP TABLE polling_webhooks;

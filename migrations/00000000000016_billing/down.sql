DROP TABLE payment_events;
DROP TABLE subscriptions;
DROP TABLE billing_customers;

-- Who pays for an organization at the payment provider. A customer pays for one organization.
CREATE TABLE billing_customers (
    organization_id uuid             NOT NULL,
    customer_id     text COLLATE "C" NOT NULL,
    updated_at      timestamptz      NOT NULL,
    CONSTRAINT billing_customers_pkey PRIMARY KEY (organization_id)
);
-- What the provider tells may name the customer alone.
CREATE UNIQUE INDEX billing_customers_customer_id_key ON billing_customers (customer_id);

-- What the provider last said of each subscription. `said_at` is its time, in whole seconds.
CREATE TABLE subscriptions (
    organization_id uuid             NOT NULL,
    subscription_id text COLLATE "C" NOT NULL,
    state           text COLLATE "C" NOT NULL,
    plan            text COLLATE "C",
    said_at         timestamptz      NOT NULL,
    CONSTRAINT subscriptions_pkey PRIMARY KEY (organization_id, subscription_id)
);

-- Which of the provider's events were seen: it tells some of them more than once.
CREATE TABLE payment_events (
    organization_id uuid             NOT NULL,
    event_id        text COLLATE "C" NOT NULL,
    seen_at         timestamptz      NOT NULL,
    CONSTRAINT payment_events_pkey PRIMARY KEY (organization_id, event_id)
);

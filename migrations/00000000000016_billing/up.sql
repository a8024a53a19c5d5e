-- Customers of organizations at the payment provider. A customer pays for one organization.
CREATE TABLE billing_customers (
    organization_id uuid             NOT NULL,
    customer_id     text COLLATE "C" NOT NULL,
    updated_at      timestamptz      NOT NULL,
    CONSTRAINT billing_customers_pkey PRIMARY KEY (organization_id)
);
-- Events of the provider can name the customer only.
CREATE UNIQUE INDEX billing_customers_customer_id_key ON billing_customers (customer_id);

-- Last known state of each subscription. `said_at` is its time in whole seconds.
CREATE TABLE subscriptions (
    organization_id uuid             NOT NULL,
    subscription_id text COLLATE "C" NOT NULL,
    state           text COLLATE "C" NOT NULL,
    plan            text COLLATE "C",
    said_at         timestamptz      NOT NULL,
    CONSTRAINT subscriptions_pkey PRIMARY KEY (organization_id, subscription_id)
);

-- Processed events of the provider, which repeats some of them.
CREATE TABLE payment_events (
    organization_id uuid             NOT NULL,
    event_id        text COLLATE "C" NOT NULL,
    seen_at         timestamptz      NOT NULL,
    CONSTRAINT payment_events_pkey PRIMARY KEY (organization_id, event_id)
);

#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

mod calls;
mod events;
mod server;
mod settings;
mod signatures;

use inboxd_core::model::Plan;
use inboxd_core::ports::{CheckoutOrder, PortalVisit};
use inboxd_core::testing::fixtures;
use std::time::Duration;

use crate::{ApiTimeouts, StripeOptions, StripePayments};

const SECRET: &str = "whsec_test";

/// Returns a client with test prices and short timeouts.
fn stripe(api_url: &str) -> StripePayments {
    StripePayments::new(StripeOptions {
        api_url: api_url.parse().unwrap(),
        secret_key: "sk_test_hush".to_owned(),
        webhook_secret: SECRET.to_owned(),
        prices: "startup=price_s,startup=price_old,business=price_b".parse().unwrap(),
        timeouts: ApiTimeouts { connect: Duration::from_millis(500), total: Duration::from_secs(1) },
    })
    .unwrap()
}

fn order() -> CheckoutOrder {
    CheckoutOrder {
        organization_id: fixtures::id(1),
        plan: Plan::Startup,
        customer_id: None,
        email: "owner+1@example.org".to_owned(),
        success_url: "https://app.example/?a=1&b=2".to_owned(),
        cancel_url: "https://app.example/no".to_owned(),
        idempotency_key: "inboxd-key".to_owned(),
    }
}

fn visit() -> PortalVisit {
    PortalVisit {
        customer_id: inboxd_core::model::CustomerId("cus_1".to_owned()),
        return_url: "https://app.example".to_owned(),
        idempotency_key: "inboxd-visit".to_owned(),
    }
}

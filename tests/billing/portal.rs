//! `POST /v0/billing/portal`

use inboxd_testkit::HttpRequest;
use serde_json::json;

use super::stripe::{KEY, Stripe, deliver_event, event, subscription};

#[tokio::test]
async fn portal_returns_page_of_customer() {
    let stripe = Stripe::start().await;
    let (server, agent) = stripe.server_and_agent().await;
    let open = || agent.call(HttpRequest::new("POST", "/v0/billing/portal"));
    let refused = open().await.require_error(409, "conflict");
    assert!(refused["fix"].as_str().unwrap().contains("POST /v0/billing/checkout"), "{refused:#}");
    assert!(stripe.calls().is_empty(), "no customer yet");

    let subscription = subscription(&agent.organization_id, "active", "price_startup");
    deliver_event(&server, &event("evt_1", "customer.subscription.created", 1, &subscription)).await;
    stripe.answers(200, &json!({"id": "bps_1", "url": "https://billing.stripe.com/p/session/1"}));
    assert_eq!(open().await.ok(), json!({"url": "https://billing.stripe.com/p/session/1"}));
    let [call] = stripe.calls().try_into().unwrap();
    assert_eq!((call.method.as_str(), call.path.as_str()), ("POST", "/v1/billing_portal/sessions"));
    assert_eq!(call.header("authorization"), format!("Bearer {KEY}"));
    assert!(!call.header("idempotency-key").is_empty());
    let home = format!("{}/docs", server.base_url());
    let expected = [("customer", "cus_1"), ("return_url", &home)];
    assert_eq!(call.form, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
}

#[tokio::test]
async fn portal_of_other_customer_is_refused() {
    let stripe = Stripe::start().await;
    let (server, agent) = stripe.server_and_agent().await;
    let other = server.verified("other@example.org", "other").await;
    let subscription = subscription(&agent.organization_id, "active", "price_startup");
    deliver_event(&server, &event("evt_1", "customer.subscription.created", 1, &subscription)).await;
    other.post("/v0/billing/portal", json!({"customer": "cus_1"})).await.require_error(409, "conflict");
    assert!(stripe.calls().is_empty());
    assert_eq!(other.get("/v0/billing").await.ok()["plan"], "free");
}

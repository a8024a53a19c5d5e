//! `POST /v0/billing/checkout`

use std::collections::BTreeSet;

use inboxd_testkit::{HttpRequest, eventually};
use serde_json::json;

use super::stripe::{KEY, Stripe, deliver_event, event, subscription};

#[tokio::test]
async fn checkout_returns_hosted_page_of_stripe() {
    let stripe = Stripe::start().await;
    let (server, agent) = stripe.server_and_agent().await;
    stripe.answers(200, &json!({"id": "cs_1", "url": "https://checkout.stripe.com/c/pay/cs_1"}));
    let body = json!({"plan": "startup", "success_url": "https://app.example/?paid=1&x=ü", "anything": ["else"]});
    let answer = agent.post("/v0/billing/checkout", body).await.ok();
    assert_eq!(answer, json!({"url": "https://checkout.stripe.com/c/pay/cs_1"}));

    let [call] = stripe.calls().try_into().unwrap();
    assert_eq!((call.method.as_str(), call.path.as_str()), ("POST", "/v1/checkout/sessions"));
    assert_eq!(call.header("authorization"), format!("Bearer {KEY}"));
    assert_eq!(call.header("content-type"), "application/x-www-form-urlencoded");
    assert!(call.header("idempotency-key").len() > 20, "{call:?}");
    let home = format!("{}/docs", server.base_url());
    for (name, value) in [
        ("mode", "subscription"),
        ("line_items[0][price]", "price_startup"),
        ("line_items[0][quantity]", "1"),
        ("success_url", "https://app.example/?paid=1&x=ü"),
        ("cancel_url", &home),
        ("client_reference_id", &agent.organization_id),
        ("metadata[organization_id]", &agent.organization_id),
        ("metadata[plan]", "startup"),
        ("subscription_data[metadata][organization_id]", &agent.organization_id),
        ("customer_email", "owner@example.org"),
    ] {
        assert_eq!(call.field(name), Some(value), "{name}: {call:?}");
    }
    assert_eq!(call.field("anything[0]"), None);
    assert_eq!(agent.get("/v0/billing").await.ok()["plan"], "free", "no payment yet");
}

#[tokio::test]
async fn invalid_checkout_is_refused_with_all_fields_and_offers() {
    let stripe = Stripe::start().await;
    let (_server, agent) = stripe.server_and_agent().await;
    let path = "/v0/billing/checkout";
    let body = json!({"plan": "gold", "success_url": "app.example", "cancel_url": 7});
    let answer = agent.post(path, body).await;
    assert_eq!(answer.bad_fields(), ["cancel_url", "plan", "success_url"]);
    assert!(answer.text().contains("startup, business"), "{}", answer.text());
    for plan in [json!("free"), json!("enterprise"), json!(1), json!(null)] {
        assert_eq!(agent.post(path, json!({"plan": plan})).await.bad_fields(), ["plan"], "{plan}");
    }
    assert_eq!(agent.call(HttpRequest::new("POST", path)).await.bad_fields(), ["plan"]);
    agent.post(path, json!([])).await.require_error(422, "validation_error");
    assert!(stripe.calls().is_empty());

    stripe.answers(
        400,
        &json!({"error": {"type": "invalid_request_error", "code": "url_invalid", "param": "success_url"}}),
    );
    let body = json!({"plan": "startup", "success_url": "https://é"});
    assert_eq!(agent.post(path, body).await.bad_fields(), ["success_url"]);
}

#[tokio::test]
async fn known_customer_is_reused_and_subscription_is_not_paid_twice() {
    let stripe = Stripe::start().await;
    let (server, agent) = stripe.server_and_agent().await;
    let id = &agent.organization_id;
    deliver_event(
        &server,
        &event("evt_1", "customer.subscription.updated", 9, &subscription(id, "active", "price_startup")),
    )
    .await;
    let body = json!({"plan": "business"});
    let refused = agent.post("/v0/billing/checkout", body.clone()).await.require_error(409, "conflict");
    assert!(refused["fix"].as_str().unwrap().contains("POST /v0/billing/portal"), "{refused:#}");
    assert!(stripe.calls().is_empty());

    deliver_event(
        &server,
        &event("evt_2", "customer.subscription.deleted", 5, &subscription(id, "canceled", "price_startup")),
    )
    .await;
    agent.post("/v0/billing/checkout", body).await.ok();
    let [call] = stripe.calls().try_into().unwrap();
    assert_eq!((call.field("customer"), call.field("customer_email")), (Some("cus_1"), None));
}

#[tokio::test]
async fn unavailable_stripe_causes_retryable_503() {
    let stripe = Stripe::start().await;
    let (server, agent) = stripe.server_and_agent().await;
    stripe.answers(500, &json!({"error": {"type": "api_error", "message": "our fault"}}));
    let body = json!({"plan": "startup"});
    let answer = agent.post("/v0/billing/checkout", body.clone()).await;
    let refused = answer.require_error(503, "service_unavailable");
    assert!(
        answer.header("Retry-After").is_some() && refused["fix"].as_str().unwrap().contains("again"),
        "{refused:#}"
    );
    for _ in 0..2 {
        agent.post("/v0/billing/checkout", body.clone()).await.require_error(503, "service_unavailable");
    }
    // An idempotency key is valid for a minute; at most one minute ends here.
    let keys: BTreeSet<String> = stripe.calls().iter().map(|call| call.header("idempotency-key").to_owned()).collect();
    assert!(keys.len() < 3, "the same order within a minute has the same key: {keys:?}");

    stripe.answers(401, &json!({"error": {"type": "invalid_request_error", "message": format!("no such key {KEY}")}}));
    let answer = agent.post("/v0/billing/checkout", body.clone()).await;
    answer.require_error(500, "internal_error");
    assert!(!answer.text().contains(KEY), "{}", answer.text());

    drop(stripe);
    agent.post("/v0/billing/checkout", body).await.require_error(503, "service_unavailable");
    agent.get("/v0/billing").await.ok();
    // The log is written after the responses.
    let log = eventually("the log contains the reason", async || {
        let log = server.log().lines().join("\n");
        (log.contains("api_error") && log.contains("check INBOXD_STRIPE_SECRET_KEY")).then_some(log)
    })
    .await;
    assert!(!log.contains(KEY) && !log.contains("keepthis"), "the log contains a secret");
}

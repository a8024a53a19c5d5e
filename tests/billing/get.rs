//! `GET /v0/billing`

use serde_json::json;

use super::stripe::Stripe;
use crate::support::server_and_agent;

#[tokio::test]
async fn plan_is_read_without_call_to_stripe() {
    let stripe = Stripe::start().await;
    let (server, agent) = stripe.server_and_agent().await;
    assert_eq!(agent.get("/v0/billing").await.ok(), json!({"plan": "free", "configured": true}));
    server.command(&["admin", "plan", &agent.organization_id, "business"]).await;
    assert_eq!(agent.get("/v0/billing").await.ok(), json!({"plan": "business", "configured": true}));
    assert!(stripe.calls().is_empty());
}

#[tokio::test]
async fn unconfigured_billing_is_reported() {
    let (_server, agent) = server_and_agent().await;
    assert_eq!(agent.get("/v0/billing").await.ok(), json!({"plan": "free", "configured": false}));
}

#[tokio::test]
async fn billing_needs_permission_and_organization_scope() {
    let (_server, agent) = server_and_agent().await;
    let with = agent.create_key("/v0/api-keys", json!({"permissions": {"billing": true}})).await;
    with.get("/v0/billing").await.ok();
    let without = agent.create_key("/v0/api-keys", json!({"permissions": {"organization_read": true}})).await;
    let inbox = agent.create_key(&agent.inbox("/api-keys"), json!({"name": "inbox"})).await;
    for key in [without, inbox] {
        let refused = key.get("/v0/billing").await.require_error(403, "missing_permission");
        assert!(refused["fix"].as_str().unwrap().contains("billing"), "{refused:#}");
        key.post("/v0/billing/checkout", json!({"plan": []})).await.require_error(403, "missing_permission");
        key.post("/v0/billing/portal", json!({})).await.require_error(403, "missing_permission");
    }
}

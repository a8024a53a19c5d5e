//! `GET /v0/billing`

use serde_json::json;

use super::stripe::Stripe;
use crate::support::server_and_agent;

#[tokio::test]
async fn the_plan_is_our_own_record_and_nobody_is_asked() {
    let stripe = Stripe::start().await;
    let (server, agent) = stripe.server_and_agent().await;
    assert_eq!(agent.get("/v0/billing").await.ok(), json!({"plan": "free", "configured": true}));
    server.command(&["admin", "plan", &agent.organization_id, "business"]).await;
    assert_eq!(agent.get("/v0/billing").await.ok(), json!({"plan": "business", "configured": true}));
    assert!(stripe.calls().is_empty());
}

#[tokio::test]
async fn it_says_when_nothing_is_configured() {
    let (_server, agent) = server_and_agent().await;
    assert_eq!(agent.get("/v0/billing").await.ok(), json!({"plan": "free", "configured": false}));
}

#[tokio::test]
async fn billing_needs_its_permission_and_the_whole_organization() {
    let (_server, agent) = server_and_agent().await;
    let with = agent.key_with("/v0/api-keys", json!({"permissions": {"billing": true}})).await;
    with.get("/v0/billing").await.ok();
    let without = agent.key_with("/v0/api-keys", json!({"permissions": {"organization_read": true}})).await;
    let inbox = agent.key_with(&agent.inbox("/api-keys"), json!({"name": "inbox"})).await;
    for key in [without, inbox] {
        let refused = key.get("/v0/billing").await.refused(403, "missing_permission");
        assert!(refused["fix"].as_str().unwrap().contains("billing"), "{refused:#}");
        key.post("/v0/billing/checkout", json!({"plan": []})).await.refused(403, "missing_permission");
        key.post("/v0/billing/portal", json!({})).await.refused(403, "missing_permission");
    }
}

//! 409 `billing_not_configured`.

use inboxd_testkit::HttpRequest;
use serde_json::json;

use super::stripe::post_event;
use crate::support::server_and_agent;

#[tokio::test]
async fn missing_stripe_is_refused_with_variables_and_command() {
    let (server, agent) = server_and_agent().await;
    let by_hand = format!("inboxd admin plan {}", agent.organization_id);
    for answer in [
        agent.post("/v0/billing/checkout", json!({"plan": "startup"})).await,
        agent.call(HttpRequest::new("POST", "/v0/billing/checkout")).await,
        agent.call(HttpRequest::new("POST", "/v0/billing/portal")).await,
    ] {
        let refused = answer.require_error(409, "billing_not_configured");
        assert_eq!(refused["name"], "ConflictError");
        let fix = refused["fix"].as_str().unwrap();
        for word in
            ["INBOXD_STRIPE_SECRET_KEY", "INBOXD_STRIPE_WEBHOOK_SECRET", "INBOXD_STRIPE_PRICES", by_hand.as_str()]
        {
            assert!(fix.contains(word), "{word} is not in {fix}");
        }
    }
    post_event(&server.http(), "{}", Some("t=1,v1=00")).await.require_error(409, "billing_not_configured");
}

#[tokio::test]
async fn operator_sets_plan_by_hand() {
    let (server, agent) = server_and_agent().await;
    let output = server.command(&["admin", "plan", &agent.organization_id, "enterprise"]).await;
    assert!(output.status.success(), "{output:?}");
    assert_eq!(agent.get("/v0/billing").await.ok()["plan"], "enterprise");
    assert_eq!(agent.get("/v0/organizations").await.ok()["inbox_limit"], json!(null));
}

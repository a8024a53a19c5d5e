//! 409 `billing_not_configured`.

use inboxd_testkit::Request;
use serde_json::json;

use super::stripe::bring;
use crate::support::server_and_agent;

#[tokio::test]
async fn without_stripe_the_fix_names_the_variables_and_the_command() {
    let (server, agent) = server_and_agent().await;
    let by_hand = format!("inboxd admin plan {}", agent.organization_id);
    for answer in [
        agent.post("/v0/billing/checkout", json!({"plan": "startup"})).await,
        agent.call(Request::new("POST", "/v0/billing/checkout")).await,
        agent.call(Request::new("POST", "/v0/billing/portal")).await,
    ] {
        let refused = answer.refused(409, "billing_not_configured");
        assert_eq!(refused["name"], "ConflictError");
        let fix = refused["fix"].as_str().unwrap();
        for word in
            ["INBOXD_STRIPE_SECRET_KEY", "INBOXD_STRIPE_WEBHOOK_SECRET", "INBOXD_STRIPE_PRICES", by_hand.as_str()]
        {
            assert!(fix.contains(word), "{word} is not in {fix}");
        }
    }
    bring(&server.http(), "{}", Some("t=1,v1=00")).await.refused(409, "billing_not_configured");
}

#[tokio::test]
async fn the_operator_sets_a_plan_by_hand() {
    let (server, agent) = server_and_agent().await;
    let output = server.command(&["admin", "plan", &agent.organization_id, "enterprise"]).await;
    assert!(output.status.success(), "{output:?}");
    assert_eq!(agent.get("/v0/billing").await.ok()["plan"], "enterprise");
    assert_eq!(agent.get("/v0/organizations").await.ok()["inbox_limit"], json!(null));
}

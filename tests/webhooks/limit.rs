//! 429 `webhook_limit_reached`, and the counts of the organization.

use serde_json::json;

use super::{NOWHERE, create_webhook, webhook_path};
use crate::support::{count, run_concurrently, server, server_and_agent, set_plan};

#[tokio::test]
async fn concurrent_webhook_creations_stop_at_cap_on_every_path() {
    let (_server, agent) = server_and_agent().await;
    let pod = agent.get(&agent.inbox("")).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let paths = ["/v0/webhooks".to_owned(), agent.inbox("/webhooks"), format!("/v0/pods/{pod}/webhooks")];
    let answers = run_concurrently((0..12).map(|number| {
        let (agent, path) = (agent.clone(), paths[number % 3].clone());
        async move { agent.post(&path, json!({"url": NOWHERE})).await }
    }))
    .await;
    assert_eq!((count(&answers, 200), count(&answers, 429)), (2, 10));
    let refused = answers.iter().find(|answer| answer.status == 429).unwrap();
    assert_eq!(refused.require_error(429, "webhook_limit_reached")["name"], "RateLimitError");
    assert_eq!(refused.header("Retry-After"), Some("1"));
    let organization = agent.get("/v0/organizations").await.ok();
    assert_eq!((&organization["webhook_count"], &organization["webhook_limit"]), (&json!(2), &json!(2)));
}

#[tokio::test]
async fn deletion_and_larger_plan_raise_limit_immediately() {
    let (server, agent) = server_and_agent().await;
    let first = create_webhook(&agent, "/v0/webhooks", json!({"client_id": "first"})).await;
    create_webhook(&agent, "/v0/webhooks", json!({})).await;
    agent.post("/v0/webhooks", json!({"url": NOWHERE})).await.require_error(429, "webhook_limit_reached");
    let again = create_webhook(&agent, "/v0/webhooks", json!({"client_id": "first"})).await;
    assert_eq!(again["webhook_id"], first["webhook_id"], "a repetition creates nothing, so no cap applies");
    agent.delete(&webhook_path(&first, "")).await.require_no_content();
    agent.post("/v0/webhooks", json!({"url": NOWHERE, "client_id": "first"})).await.require_error(409, "conflict");
    create_webhook(&agent, "/v0/webhooks", json!({})).await;
    set_plan(&server, &agent, "startup").await;
    create_webhook(&agent, "/v0/webhooks", json!({})).await;
    let organization = agent.get("/v0/organizations").await.ok();
    assert_eq!((&organization["webhook_count"], &organization["webhook_limit"]), (&json!(3), &json!(10)));
}

#[tokio::test]
async fn unverified_organization_has_no_webhooks() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let answer = agent.post("/v0/webhooks", json!({"url": NOWHERE})).await;
    let envelope = answer.require_error(429, "webhook_limit_reached");
    assert!(envelope["fix"].as_str().unwrap().contains("/v0/agent/verify"), "{envelope:#}");
    agent.verify().await;
    create_webhook(&agent, "/v0/webhooks", json!({})).await;
}

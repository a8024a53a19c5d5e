//! 429 `inbox_limit_reached`.

use serde_json::json;

use crate::support::{count, run_concurrently, server, server_and_agent};

#[tokio::test]
async fn unverified_organization_has_only_inbox_of_sign_up() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let answer = agent.post("/v0/inboxes", json!({})).await;
    let envelope = answer.require_error(429, "inbox_limit_reached");
    assert_eq!(envelope["name"], "RateLimitError");
    assert_eq!(answer.header("Retry-After"), Some("1"));
    assert!(envelope["fix"].as_str().unwrap().contains("/v0/agent/verify"), "{envelope:#}");
}

#[tokio::test]
async fn inbox_limit_excludes_deleted_inboxes() {
    let (_server, agent) = server_and_agent().await;
    for username in ["two", "three"] {
        agent.post("/v0/inboxes", json!({"username": username})).await.ok();
    }
    agent.post("/v0/inboxes", json!({"username": "four"})).await.require_error(429, "inbox_limit_reached");
    agent.delete("/v0/inboxes/two@inboxd.localhost").await.require_no_content();
    agent.post("/v0/inboxes", json!({"username": "four"})).await.ok();
    agent.post("/v0/inboxes", json!({"username": "five"})).await.require_error(429, "inbox_limit_reached");
}

#[tokio::test]
async fn concurrent_inbox_creations_stop_at_cap() {
    let (_server, agent) = server_and_agent().await;
    let answers = run_concurrently((0..30).map(|_| {
        let agent = agent.clone();
        async move { agent.post("/v0/inboxes", json!({})).await }
    }))
    .await;
    assert_eq!((count(&answers, 200), count(&answers, 429)), (2, 28));
    assert_eq!(agent.get("/v0/organizations").await.ok()["inbox_count"], 3);
}

#[tokio::test]
async fn larger_plan_raises_inbox_limit_immediately() {
    let (server, agent) = server_and_agent().await;
    for _ in 0..2 {
        agent.post("/v0/inboxes", json!({})).await.ok();
    }
    agent.post("/v0/inboxes", json!({})).await.require_error(429, "inbox_limit_reached");
    let output = server.command(&["admin", "plan", &agent.organization_id, "startup"]).await;
    assert!(output.status.success(), "{output:?}");
    agent.post("/v0/inboxes", json!({})).await.ok();
}

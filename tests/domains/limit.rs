//! 429 `domain_limit_reached`, and the counts of the organization.

use serde_json::json;

use super::{add, path, server_with_dns};
use crate::support::{at_once, count, server};

#[tokio::test]
async fn domains_made_at_once_stop_at_the_cap() {
    let (_dns, _server, agent) = server_with_dns().await;
    let answers = at_once((0..12).map(|number| {
        let agent = agent.clone();
        async move { agent.post("/v0/domains", json!({"domain": format!("d{number}.example")})).await }
    }))
    .await;
    assert_eq!((count(&answers, 200), count(&answers, 429)), (1, 11));
    let refused = answers.iter().find(|answer| answer.status == 429).unwrap();
    assert_eq!(refused.refused(429, "domain_limit_reached")["name"], "RateLimitError");
    assert_eq!(refused.header("Retry-After"), Some("1"));
    let organization = agent.get("/v0/organizations").await.ok();
    assert_eq!((&organization["domain_count"], &organization["domain_limit"]), (&json!(1), &json!(1)));
}

#[tokio::test]
async fn deleting_and_a_larger_plan_make_room_at_once() {
    let (_dns, server, agent) = server_with_dns().await;
    let first = add(&agent, "one.example").await;
    agent.post("/v0/domains", json!({"domain": "two.example"})).await.refused(429, "domain_limit_reached");
    agent.delete(&path(&first, "")).await.gone();
    assert_eq!(agent.get("/v0/organizations").await.ok()["domain_count"], 0);
    add(&agent, "two.example").await;
    let output = server.command(&["admin", "plan", &agent.organization_id, "startup"]).await;
    assert!(output.status.success(), "{output:?}");
    add(&agent, "one.example").await;
    assert_eq!(agent.get("/v0/organizations").await.ok()["domain_limit"], 10);
}

#[tokio::test]
async fn an_unverified_organization_has_no_custom_domains() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let answer = agent.post("/v0/domains", json!({"domain": "example.org"})).await;
    let envelope = answer.refused(429, "domain_limit_reached");
    assert!(envelope["fix"].as_str().unwrap().contains("/v0/agent/verify"), "{envelope:#}");
}

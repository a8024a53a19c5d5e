//! 429 `domain_limit_reached`, and the counts of the organization.

use serde_json::json;

use super::{add_domain, domain_path, server_with_dns};
use crate::support::{count, run_concurrently, server};

#[tokio::test]
async fn concurrent_domain_creations_stop_at_cap() {
    let (_dns, _server, agent) = server_with_dns().await;
    let answers = run_concurrently((0..12).map(|number| {
        let agent = agent.clone();
        async move { agent.post("/v0/domains", json!({"domain": format!("d{number}.example")})).await }
    }))
    .await;
    assert_eq!((count(&answers, 200), count(&answers, 429)), (1, 11));
    let refused = answers.iter().find(|answer| answer.status == 429).unwrap();
    assert_eq!(refused.require_error(429, "domain_limit_reached")["name"], "RateLimitError");
    assert_eq!(refused.header("Retry-After"), Some("1"));
    let organization = agent.get("/v0/organizations").await.ok();
    assert_eq!((&organization["domain_count"], &organization["domain_limit"]), (&json!(1), &json!(1)));
}

#[tokio::test]
async fn deletion_and_larger_plan_raise_limit_immediately() {
    let (_dns, server, agent) = server_with_dns().await;
    let first = add_domain(&agent, "one.example").await;
    agent.post("/v0/domains", json!({"domain": "two.example"})).await.require_error(429, "domain_limit_reached");
    agent.delete(&domain_path(&first, "")).await.require_no_content();
    assert_eq!(agent.get("/v0/organizations").await.ok()["domain_count"], 0);
    add_domain(&agent, "two.example").await;
    let output = server.command(&["admin", "plan", &agent.organization_id, "startup"]).await;
    assert!(output.status.success(), "{output:?}");
    add_domain(&agent, "one.example").await;
    assert_eq!(agent.get("/v0/organizations").await.ok()["domain_limit"], 10);
}

#[tokio::test]
async fn unverified_organization_has_no_custom_domains() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let answer = agent.post("/v0/domains", json!({"domain": "example.org"})).await;
    let envelope = answer.require_error(429, "domain_limit_reached");
    assert!(envelope["fix"].as_str().unwrap().contains("/v0/agent/verify"), "{envelope:#}");
}

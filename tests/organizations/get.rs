//! `GET /v0/organizations`.

use inboxd_testkit::redacted;
use insta::assert_snapshot;
use serde_json::json;

use crate::support::{mail_to, receive, server, server_and_agent};

#[tokio::test]
async fn unverified_organization_has_narrow_caps() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    assert_snapshot!(redacted(&agent.get("/v0/organizations").await.ok()), @r#"
    {
      "authentication_id": "[mem_…]",
      "authentication_type": "email",
      "created_at": "[time]",
      "domain_count": 0,
      "domain_limit": 0,
      "inbox_count": 1,
      "inbox_limit": 1,
      "organization_id": "[org_…]",
      "plan": "free",
      "pod_count": 1,
      "pod_limit": 2,
      "quarantine": "off",
      "storage_bytes": 0,
      "storage_limit_bytes": 1000000000,
      "updated_at": "[time]",
      "verified": false,
      "webhook_count": 0,
      "webhook_limit": 0
    }
    "#);
}

#[tokio::test]
async fn owner_verification_applies_free_plan_immediately() {
    let (_server, agent) = server_and_agent().await;
    assert_snapshot!(redacted(&agent.get("/v0/organizations").await.ok()), @r#"
    {
      "authentication_id": "[mem_…]",
      "authentication_type": "email",
      "created_at": "[time]",
      "domain_count": 0,
      "domain_limit": 1,
      "inbox_count": 1,
      "inbox_limit": 3,
      "organization_id": "[org_…]",
      "plan": "free",
      "pod_count": 1,
      "pod_limit": 2,
      "quarantine": "off",
      "storage_bytes": 0,
      "storage_limit_bytes": 1000000000,
      "updated_at": "[time]",
      "verified": true,
      "webhook_count": 0,
      "webhook_limit": 2
    }
    "#);
}

#[tokio::test]
async fn unlimited_is_null() {
    let (server, agent) = server_and_agent().await;
    let output = server.command(&["admin", "plan", &agent.organization_id, "enterprise"]).await;
    assert!(output.status.success(), "{output:?}");
    let organization = agent.get("/v0/organizations").await.ok();
    assert_eq!(organization["plan"], "enterprise");
    for limit in ["inbox_limit", "domain_limit", "pod_limit", "webhook_limit", "storage_limit_bytes"] {
        assert!(organization.get(limit).is_some_and(serde_json::Value::is_null), "{limit}: {organization:#}");
    }
}

#[tokio::test]
async fn storage_counts_existing_messages() {
    let (server, agent) = server_and_agent().await;
    let stored = async || agent.get("/v0/organizations").await.ok()["storage_bytes"].as_u64().unwrap();
    assert_eq!(stored().await, 0);
    let reply = receive(&server, &agent, &mail_to(&agent, "one")).await;
    assert_eq!(reply.code, 250);
    let message = agent.message_about("one").await;
    assert_eq!(stored().await, message["size"].as_u64().unwrap());
    agent.delete(&agent.message(&message["message_id"], "")).await.require_no_content();
    assert_eq!(stored().await, 0, "a deletion frees space immediately");
}

#[tokio::test]
async fn inbox_key_cannot_read_organization() {
    let (_server, agent) = server_and_agent().await;
    let key = agent.create_key(&agent.inbox("/api-keys"), json!({"name": "inbox"})).await;
    let envelope = key.get("/v0/organizations").await.require_error(403, "missing_permission");
    assert!(envelope["fix"].as_str().unwrap().contains("organization_read"), "{envelope:#}");
}

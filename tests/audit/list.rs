//! List, filters, export, retention and protection of the log.

use inboxd_testkit::{HttpRequest, eventually};
use serde_json::{Value, json};

use super::{entries, fields};
use crate::support::{options, second_process, server_and_agent};

#[tokio::test]
async fn filters_find_changes_by_author_kind_resource_and_time() {
    let (_server, agent) = server_and_agent().await;
    agent.post("/v0/lists/send/block", json!({"entry": "enemy.example"})).await.ok();
    let made = agent.post("/v0/api-keys", json!({"name": "other"})).await.ok();
    let other = agent.with_key(made["api_key"].as_str().unwrap());
    other.post("/v0/lists/send/allow", json!({"entry": "friend.example"})).await.ok();
    let by_other = entries(&agent, &format!("actor_id={}", made["api_key_id"].as_str().unwrap())).await;
    assert_eq!(fields(&by_other, "resource_id"), ["friend.example"]);
    assert_eq!(entries(&agent, "resource_type=list_entry").await.len(), 2);
    assert_eq!(entries(&agent, "action=list_entry.created&resource_id=enemy.example").await.len(), 1);
    let at = by_other[0]["created_at"].as_str().unwrap();
    assert_eq!(fields(&entries(&agent, &format!("start={at}")).await, "resource_id"), ["friend.example"]);
    assert!(!fields(&entries(&agent, &format!("end={at}")).await, "resource_id").contains(&"friend.example"));
    for (query, field) in
        [("action=api_key.stolen", "action"), ("resource_type=key", "resource_type"), ("start=x", "start")]
    {
        assert_eq!(agent.get(&format!("/v0/audit?{query}")).await.bad_fields(), [field]);
    }
}

#[tokio::test]
async fn export_is_one_object_per_line_and_is_recorded() {
    let (server, agent) = server_and_agent().await;
    // More entries than a page has, of the last hour, and one by a call.
    let earlier = "INSERT INTO audit_log SELECT organization_id, now() - interval '1 hour' + number * interval '1 second', \
        gen_random_uuid(), 'list_entry.created', 'list_entry', 'e' || number || '.example', 'operator', \
        '{\"type\": \"operator\"}', NULL, NULL, NULL FROM organizations, generate_series(0, 203) AS number";
    server.database().execute(earlier).await;
    agent.post("/v0/lists/send/block", json!({"entry": "e204.example"})).await.ok();
    let target = "/v0/audit?resource_type=list_entry&ascending=true&limit=1";
    let export = agent.call(HttpRequest::new("GET", target).header("Accept", "application/jsonl")).await;
    assert_eq!((export.status, export.header("Content-Type")), (200, Some("application/jsonl")));
    let text = export.text();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 205);
    assert_eq!((&lines[0]["resource_id"], &lines[204]["resource_id"]), (&json!("e0.example"), &json!("e204.example")));
    let recorded = entries(&agent, "action=audit.exported").await;
    assert_eq!(recorded[0]["after"], json!({"resource_type": "list_entry"}));
}

#[tokio::test]
async fn permission_and_organization_bound_readers() {
    let (server, agent) = server_and_agent().await;
    let limited = agent.create_key("/v0/api-keys", json!({"name": "x", "permissions": {"event_read": true}})).await;
    limited.get("/v0/audit").await.require_error(403, "missing_permission");
    let auditor = agent.create_key("/v0/api-keys", json!({"name": "y", "permissions": {"audit_read": true}})).await;
    assert!(!entries(&auditor, "").await.is_empty());
    let of_inbox = agent.create_key(&agent.inbox("/api-keys"), json!({"name": "z"})).await;
    of_inbox.get("/v0/audit").await.require_error(403, "missing_permission");
    let stranger = server.verified("other@example.net", "other").await;
    let theirs = entries(&stranger, "").await;
    assert!(theirs.iter().all(|entry| entry["organization_id"] == stranger.organization_id), "{theirs:#?}");
}

#[tokio::test]
async fn log_refuses_changes_and_purge_respects_retention() {
    let server = options().set("INBOXD_AUDIT_RETENTION_DAYS", "30").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    for statement in ["UPDATE audit_log SET action = 'api_key.created'", "DELETE FROM audit_log", "TRUNCATE audit_log"]
    {
        let refused = server.database().try_execute(statement).await.unwrap_err();
        assert!(refused.contains("append-only"), "{statement}: {refused}");
    }
    let old = "INSERT INTO audit_log SELECT organization_id, now() - interval '31 days', gen_random_uuid(), \
        'list_entry.created', 'list_entry', 'old.example', 'operator', '{\"type\": \"operator\"}', NULL, NULL, NULL \
        FROM organizations";
    server.database().execute(old).await;
    // A worker purges when it starts, and then at an interval.
    let options = second_process(&server).set("INBOXD_AUDIT_RETENTION_DAYS", "30").set("INBOXD_ROLES", "worker");
    let _worker = options.start().await;
    eventually("the expired entry is purged", async || {
        entries(&agent, "resource_id=old.example").await.is_empty().then_some(())
    })
    .await;
    assert!(!entries(&agent, "").await.is_empty(), "younger entries stay");
}

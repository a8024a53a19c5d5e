//! Order of checks: key, scope, permission and role, validation, existence, caps.

use serde_json::{Value, json};

use crate::people::invite_and_join;
use crate::support::{server, server_and_agent};

const NOBODY: &str = "/v0/inboxes/nobody@inboxd.localhost";

#[tokio::test]
async fn checks_run_in_order() {
    let (server, agent) = server_and_agent().await;
    let spent =
        "INSERT INTO send_counts SELECT organization_id, (now() AT TIME ZONE 'UTC')::date, 1000 FROM organizations";
    server.database().execute(spent).await;
    let reader = json!({"permissions": {"message_read": true}});
    let of_inbox = agent.create_key(&agent.inbox("/api-keys"), reader.clone()).await;
    let of_organization = agent.create_key("/v0/api-keys", reader).await;
    let (bad, good) = (json!({"to": 7}), json!({"to": "bob@outside.example", "text": "x"}));
    let (nobodys, own) = (format!("{NOBODY}/messages/send"), agent.inbox("/messages/send"));
    // Every request is also invalid in all later checks.
    server.http().post(&nobodys, bad.clone()).await.require_error(401, "missing_authorization");
    server.http().with_key("am_unknown").post(&nobodys, bad.clone()).await.require_error(401, "unknown_api_key");
    of_inbox.post(&nobodys, bad.clone()).await.require_error(403, "inbox_out_of_scope");
    of_organization.post(&nobodys, bad.clone()).await.require_error(403, "missing_permission");
    assert_eq!(agent.post(&nobodys, bad).await.bad_fields(), ["to"]);
    agent.post(&nobodys, good.clone()).await.require_error(404, "not_found");
    agent.post(&own, good).await.require_error(429, "monthly_limit_reached");
}

#[tokio::test]
async fn role_is_checked_before_validation() {
    let (server, agent) = server_and_agent().await;
    let limited = invite_and_join(&server, &agent, "limited@example.org", "member", json!([agent.inbox_id])).await;
    limited.post(&format!("{NOBODY}/api-keys"), invalid_body()).await.require_error(403, "inbox_out_of_scope");
    limited.post(&agent.inbox("/api-keys"), invalid_body()).await.require_error(403, "role_not_allowed");
    let maria = invite_and_join(&server, &agent, "maria@example.org", "member", json!([])).await;
    for path in ["/v0/members", "/v0/domains", "/v0/pods", "/v0/inboxes", "/v0/lists/send/block"] {
        maria.post(path, invalid_body()).await.require_error(403, "role_not_allowed");
    }
}

#[tokio::test]
async fn validation_precedes_caps() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    assert_eq!(agent.post("/v0/inboxes", invalid_body()).await.bad_fields(), ["client_id", "domain", "username"]);
    assert_eq!(agent.post("/v0/domains", invalid_body()).await.bad_fields(), ["client_id", "domain"]);
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.require_error(429, "inbox_limit_reached");
    agent.post("/v0/domains", json!({"domain": "example.org"})).await.require_error(429, "domain_limit_reached");
    let pods = |rest: &str| format!("/v0/pods/pod_00000000000000000000000000000000{rest}");
    agent.post(&pods("/inboxes"), json!({})).await.require_error(404, "not_found");
    agent.post(&pods("/domains"), json!({"domain": "example.org"})).await.require_error(404, "not_found");
}

/// Returns a body that is invalid in every field.
fn invalid_body() -> Value {
    json!({"email": 7, "role": 7, "domain": 7, "name": 7, "username": 7, "entry": 7, "client_id": "a b"})
}

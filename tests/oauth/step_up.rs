//! Step-up: 403 with the scopes that the next token needs.

use serde_json::json;

use super::flow::Client;
use crate::people::invite_and_join;
use crate::support::server_and_agent;

#[tokio::test]
async fn missing_scope_is_challenged_and_granted() {
    let (server, agent) = server_and_agent().await;
    let client = Client::register(&server).await;
    let connected = client.connect(&server, "owner@example.org", &[("scope", "mail:draft")], &[]).await;
    assert_eq!(connected.scope, "mail:read mail:draft");
    let send = json!({"to": "bob@outside.example", "subject": "x", "text": "x"});
    let refused = connected.http.post(&agent.inbox("/messages/send"), send.clone()).await;
    let envelope = refused.require_error(403, "missing_permission");
    let challenge = refused.header("WWW-Authenticate").unwrap();
    let metadata = format!("{}/.well-known/oauth-protected-resource/v0", server.base_url());
    let expected = format!(
        "Bearer error=\"insufficient_scope\", scope=\"mail:read mail:draft mail:send\", resource_metadata=\"{metadata}\", error_description=\""
    );
    assert!(challenge.starts_with(&expected) && challenge.ends_with('"'), "{challenge}");
    // Clients match the first parameter of each name over the whole field.
    assert_eq!(challenge.matches("scope=").count() + challenge.matches("error=").count(), 2, "{challenge}");
    let fix = envelope["fix"].as_str().unwrap();
    assert!(fix.contains("mail:send") && fix.contains("PATCH /v0/connections/con_"), "{fix}");
    let scope = challenge.split("scope=\"").nth(1).unwrap().split('"').next().unwrap();
    let wider = client.connect(&server, "owner@example.org", &[("scope", scope)], &[]).await;
    wider.http.post(&agent.inbox("/messages/send"), send).await.ok();
    // Refusals of the use cases are challenged like those of the handlers.
    let refused = wider.http.get("/v0/api-keys").await;
    assert!(
        refused.header("WWW-Authenticate").unwrap().contains("scope=\"mail:read mail:draft mail:send api_key_read\"")
    );
    let refused = wider.http.post("/v0/inboxes", json!({"username": "more"})).await;
    assert!(refused.header("WWW-Authenticate").unwrap().contains("inboxes:manage"));
}

#[tokio::test]
async fn refusals_that_no_consent_lifts_are_not_challenged() {
    let (server, agent) = server_and_agent().await;
    // API keys have no consent.
    let key = agent.create_key("/v0/api-keys", json!({"permissions": {"inbox_read": true}})).await;
    let refused = key.get("/v0/api-keys").await;
    refused.require_error(403, "missing_permission");
    assert_eq!(refused.header("WWW-Authenticate"), None);
    // The role rules it out.
    invite_and_join(&server, &agent, "tim@example.org", "member", json!([])).await;
    let tim = Client::register(&server).await.connect(&server, "tim@example.org", &[], &[]).await;
    let refused = tim.http.post("/v0/inboxes", json!({"username": "more"})).await;
    refused.require_error(403, "role_not_allowed");
    assert_eq!(refused.header("WWW-Authenticate"), None);
    // So does the choice of inboxes.
    let limited = [("inbox_ids", &*agent.inbox_id)];
    let client = Client::register(&server).await;
    let limited = client.connect(&server, "owner@example.org", &[], &limited).await;
    let refused = limited.http.get("/v0/inboxes/other@inboxd.localhost").await;
    refused.require_error(403, "inbox_out_of_scope");
    assert_eq!(refused.header("WWW-Authenticate"), None);
}

//! Credentials: keys in either header, challenges without one, and what needs none.

use inboxd_testkit::{HttpClient, HttpRequest, eventually};
use serde_json::json;

use super::client::{ACCEPT, legacy, message, post, require_rpc_error, result, stateless};
use crate::oauth::flow::Client;
use crate::support::{in_seconds, server, server_and_agent};

#[tokio::test]
async fn legacy_ping_needs_no_key_and_no_other_request_does_without() {
    let server = server().await;
    let http = server.http();
    for request in [legacy("ping", json!({})), post(&json!({"jsonrpc": "2.0", "id": "a", "method": "ping"}))] {
        assert_eq!(result(&http, request).await, json!({}));
    }
    let unknown = http.call(legacy("ping", json!({})).header("Authorization", "Bearer am_unknown")).await;
    assert_eq!((unknown.status, &unknown.json()["result"]), (200, &json!({})));
    for request in [
        legacy("tools/list", json!({})),
        legacy("initialize", json!({})),
        stateless("ping", json!({})),
        stateless("server/discover", json!({})),
        post(&json!([{"jsonrpc": "2.0", "id": 1, "method": "ping"}])),
        HttpRequest::new("POST", "/mcp").header("Accept", ACCEPT).header("Content-Type", "application/json").body("{"),
        HttpRequest::new("POST", "/mcp"),
    ] {
        http.call(request).await.require_error(401, "missing_authorization");
    }
}

#[tokio::test]
async fn requests_without_usable_key_are_challenged() {
    let (server, agent) = server_and_agent().await;
    let metadata = format!(
        "resource_metadata=\"{}/.well-known/oauth-protected-resource/mcp\"",
        base_url(&server.http()).await.trim_end_matches('/')
    );
    let challenge = async |request: HttpRequest| {
        let refused = server.http().call(request).await;
        assert_eq!(refused.status, 401, "{}", refused.text());
        let challenge = refused.header("WWW-Authenticate").unwrap().to_owned();
        assert!(challenge.starts_with("Bearer ") && challenge.contains(&metadata), "{challenge}: {metadata}");
        assert!(challenge.contains("scope=\"mail:read mail:draft mail:send mail:manage\""), "{challenge}");
        challenge
    };
    assert!(!challenge(legacy("tools/list", json!({}))).await.contains("error="));
    let unknown = legacy("tools/list", json!({})).header("Authorization", "Bearer am_unknown");
    assert!(challenge(unknown).await.contains("error=\"invalid_token\""));
    let short = agent.create_key("/v0/api-keys", json!({"name": "short", "expires_at": in_seconds(2)})).await;
    eventually("the key expires", async || {
        (short.call(legacy("tools/list", json!({}))).await.status == 401).then_some(())
    })
    .await;
    short.call(legacy("tools/list", json!({}))).await.require_error(401, "api_key_expired");
}

/// Returns the base URL of a server as its error documentation shows it.
async fn base_url(http: &HttpClient) -> String {
    let refused = http.get("/v0/inboxes").await.require_error(401, "missing_authorization");
    refused["docs"].as_str().unwrap().split("/docs/").next().unwrap().to_owned()
}

#[tokio::test]
async fn either_header_carries_the_key_and_x_api_key_wins() {
    let (server, agent) = server_and_agent().await;
    let created = agent.post("/v0/api-keys", json!({"name": "second"})).await.ok();
    let key = created["api_key"].as_str().unwrap();
    let http = server.http();
    let list = || legacy("tools/list", json!({}));
    assert_eq!(http.call(list().header("x-api-key", key)).await.status, 200);
    assert_eq!(http.call(list().header("Authorization", &format!("bearer {key}"))).await.status, 200);
    let both =
        |own: &str, bearer: &str| list().header("x-api-key", own).header("Authorization", &format!("Bearer {bearer}"));
    assert_eq!(http.call(both(key, "am_unknown")).await.status, 200);
    http.call(both("am_unknown", key)).await.require_error(401, "unknown_api_key");
    let in_query = HttpRequest::new("POST", &format!("/mcp?api_key={key}"));
    let in_query = in_query.header("Accept", ACCEPT).json(&message("tools/list", json!({})));
    http.call(in_query).await.require_error(401, "missing_authorization");
}

#[tokio::test]
async fn revoked_key_ends_at_once() {
    let (_server, agent) = server_and_agent().await;
    let created = agent.post("/v0/api-keys", json!({"name": "short"})).await.ok();
    let client = agent.with_key(created["api_key"].as_str().unwrap());
    result(&client, legacy("tools/list", json!({}))).await;
    agent.delete(&format!("/v0/api-keys/{}", created["api_key_id"].as_str().unwrap())).await.require_no_content();
    client.call(legacy("tools/list", json!({}))).await.require_error(401, "unknown_api_key");
}

#[tokio::test]
async fn notifications_are_accepted_without_a_body() {
    let (_server, agent) = server_and_agent().await;
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let accepted = agent.call(post(&note)).await;
    assert_eq!((accepted.status, accepted.text().as_str()), (202, ""));
    let answer = json!({"jsonrpc": "2.0", "id": 1, "result": {}});
    require_rpc_error(&agent.call(post(&answer)).await, 400, -32600);
}

#[tokio::test]
async fn tool_beyond_a_token_is_challenged_and_nothing_is_sent() {
    let (server, agent) = server_and_agent().await;
    let client = Client::register(&server).await;
    let connected = client.connect(&server, "owner@example.org", &[("scope", "mail:draft")], &[]).await;
    let tools = result(&connected.http, legacy("tools/list", json!({}))).await["tools"].to_string();
    assert!(tools.contains("create_draft") && !tools.contains("send_message"), "{tools}");
    let mail = json!({"inboxId": agent.inbox_id, "to": ["bob@outside.example"], "subject": "x", "text": "x"});
    let call = json!({"name": "send_message", "arguments": mail});
    for request in [legacy("tools/call", call.clone()), stateless("tools/call", call.clone())] {
        let refused = connected.http.call(request).await;
        refused.require_error(403, "missing_permission");
        let challenge = refused.header("WWW-Authenticate").unwrap();
        assert!(challenge.contains("error=\"insufficient_scope\""), "{challenge}");
        assert!(challenge.contains("scope=\"mail:read mail:draft mail:send\""), "{challenge}");
        assert!(challenge.contains("/.well-known/oauth-protected-resource/mcp\""), "{challenge}");
    }
    assert!(agent.messages().await.is_empty());
    // No token is wider for an API key: a model reads the refusal and its fix.
    let key = agent.create_key("/v0/api-keys", json!({"permissions": {"inbox_read": true}})).await;
    let refused = result(&key, legacy("tools/call", call)).await;
    let text = refused["content"][0]["text"].as_str().unwrap();
    assert!(refused["isError"] == true && text.contains("missing_permission"), "{text}");
    assert!(agent.messages().await.is_empty());
}

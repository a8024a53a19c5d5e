//! Headers and methods: refusals with the status and code that clients expect.

use inboxd_testkit::{ApiResponse, HttpRequest};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::client::{
    ACCEPT, STATELESS, legacy, message, post, require_rpc_error, result, stateless, stateless_message,
};
use crate::support::{server, server_and_agent};

#[tokio::test]
async fn other_methods_are_refused_before_anything_else() {
    let server = server().await;
    for method in ["GET", "DELETE", "PUT"] {
        let refused = server.http().call(HttpRequest::new(method, "/mcp").header("Accept", "text/event-stream")).await;
        refused.require_error(405, "method_not_allowed");
        assert_eq!(refused.header("Allow"), Some("POST, OPTIONS"), "{method}");
    }
}

#[tokio::test]
async fn headers_repeat_the_body_in_the_stateless_revision() {
    let (_server, agent) = server_and_agent().await;
    let call = || stateless_message("tools/call", json!({ "name": "list_inboxes", "arguments": {} }));
    let bare = || post(&call());
    let versioned = || bare().header("MCP-Protocol-Version", STATELESS);
    for (request, what) in [
        (bare(), "no version"),
        (versioned(), "no method"),
        (versioned().header("Mcp-Method", "tools/list").header("Mcp-Name", "list_inboxes"), "another method"),
        (versioned().header("Mcp-Method", "tools/call"), "no name"),
        (versioned().header("Mcp-Method", "tools/call").header("Mcp-Name", "get_inbox"), "another name"),
        (
            bare()
                .header("MCP-Protocol-Version", "2025-11-25")
                .header("Mcp-Method", "tools/call")
                .header("Mcp-Name", "list_inboxes"),
            "another version",
        ),
    ] {
        let response = agent.call(request).await;
        assert_eq!(response.status, 400, "{what}: {}", response.text());
        require_rpc_error(&response, 400, -32020);
    }
    // list_inboxes in base64.
    let encoded = versioned().header("Mcp-Method", "tools/call").header("Mcp-Name", "=?base64?bGlzdF9pbmJveGVz?=");
    assert_eq!(result(&agent, encoded).await["structuredContent"]["count"], 1);
}

#[tokio::test]
async fn unknown_revisions_and_methods_are_refused_with_the_known_ones() {
    let (_server, agent) = server_and_agent().await;
    let mut unknown = stateless_message("tools/list", json!({}));
    unknown["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
    let request = post(&unknown).header("MCP-Protocol-Version", "2099-01-01").header("Mcp-Method", "tools/list");
    let error = require_rpc_error(&agent.call(request).await, 400, -32022);
    assert!(error["data"]["supported"].to_string().contains(STATELESS), "{error:#}");
    for (method, revision) in [("tools/list", "2099-01-01"), ("tools/list", "2024-11-05"), ("ping", "2024-11-05")] {
        let request = post(&message(method, json!({}))).header("MCP-Protocol-Version", revision);
        let error = require_rpc_error(&agent.call(request).await, 400, -32022);
        let supported = error["data"]["supported"].to_string();
        assert!(supported.contains(STATELESS) && !supported.contains(revision), "{error:#}");
    }
    for method in ["tools/forget", "prompts/list", "tasks/list", "ping"] {
        require_rpc_error(&agent.call(stateless(method, json!({}))).await, 404, -32601);
    }
    require_rpc_error(&agent.call(legacy("tools/forget", json!({}))).await, 200, -32601);
}

#[tokio::test]
async fn metadata_is_required_in_the_stateless_revision() {
    let (_server, agent) = server_and_agent().await;
    let mut without = stateless_message("tools/list", json!({}));
    without["params"]["_meta"].as_object_mut().unwrap().remove("io.modelcontextprotocol/clientCapabilities");
    let request = post(&without).header("MCP-Protocol-Version", STATELESS).header("Mcp-Method", "tools/list");
    require_rpc_error(&agent.call(request).await, 400, -32602);
    let request = post(&message("tools/list", json!({})))
        .header("MCP-Protocol-Version", STATELESS)
        .header("Mcp-Method", "tools/list");
    require_rpc_error(&agent.call(request).await, 400, -32602);
}

#[tokio::test]
async fn media_types_and_sizes_are_checked() {
    let (_server, agent) = server_and_agent().await;
    let list = message("tools/list", json!({}));
    for accept in ["application/json", "text/event-stream", "text/html"] {
        let request = HttpRequest::new("POST", "/mcp").header("Accept", accept).json(&list);
        require_fix(&agent.call(request).await, 406, -32600, "Accept");
    }
    let body = || HttpRequest::new("POST", "/mcp").header("Accept", ACCEPT).body(list.to_string());
    agent.call(body().header("Content-Type", "application/xml")).await.require_error(415, "unsupported_media_type");
    for kind in ["text/plain", "application/vnd.api+json"] {
        require_fix(&agent.call(body().header("Content-Type", kind)).await, 415, -32600, "application/json");
    }
    require_fix(&agent.call(body()).await, 415, -32600, "application/json");
    let large =
        message("tools/call", json!({ "name": "send_message", "arguments": { "text": "x".repeat(5_000_000) } }));
    agent.call(post(&large)).await.require_error(413, "payload_too_large");
    let json = || HttpRequest::new("POST", "/mcp").header("Accept", ACCEPT).header("Content-Type", "application/json");
    require_fix(&agent.call(json().body("{")).await, 400, -32700, "JSON-RPC");
    require_fix(&agent.call(json().body("x".repeat(5_000))).await, 400, -32700, "JSON-RPC");
    for body in ["7", "{}", "[]", r#"{"jsonrpc": "1.0", "id": 7, "method": "tools/list"}"#] {
        require_fix(&agent.call(json().body(body)).await, 400, -32600, "jsonrpc");
    }
}

/// Requires a JSON-RPC error whose next step contains a word.
fn require_fix(response: &ApiResponse, status: u16, code: i64, word: &str) {
    let error = require_rpc_error(response, status, code);
    assert!(error["data"]["fix"].as_str().unwrap().contains(word), "{error:#}");
}

#[tokio::test]
async fn overlong_method_is_neither_repeated_nor_logged() {
    let (server, agent) = server_and_agent().await;
    let method = "marker".repeat(100);
    for (request, status) in [(legacy(&method, json!({})), 200), (stateless(&method, json!({})), 404)] {
        let refused = agent.call(request).await;
        require_fix(&refused, status, -32601, "tools/list");
        assert!(!refused.text().contains("marker"), "{}", refused.text());
    }
    agent.call(legacy("tools/list", json!({})).header("X-Request-Id", "last")).await;
    server.log().entry("the last request is logged", |entry| entry["id"] == "last").await;
    let entries = server.log().entries();
    assert!(entries.iter().all(|entry| !entry.to_string().contains("marker")), "{entries:?}");
}

#[tokio::test]
async fn foreign_origins_and_hosts_are_refused() {
    let (server, agent) = server_and_agent().await;
    let own = server.base_url();
    for (origin, status) in
        [(own.as_str(), 200), ("https://evil.example", 403), ("http://127.0.0.1:1", 403), ("null", 403)]
    {
        let response = agent.call(legacy("tools/list", json!({})).header("Origin", origin)).await;
        assert_eq!(response.status, status, "{origin}: {}", response.text());
    }
    let body = message("ping", json!({})).to_string();
    let address = own.trim_start_matches("http://");
    for (host, status) in [(address, 200), ("localhost", 200), ("evil.example", 403), ("evil.example:80", 403)] {
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\nAccept: {ACCEPT}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).await.unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.starts_with(&format!("HTTP/1.1 {status} ")), "{host}: {text}");
    }
}

#[tokio::test]
async fn responses_are_neither_cached_nor_bound_to_a_session() {
    let (_server, agent) = server_and_agent().await;
    let response: ApiResponse = agent.call(legacy("tools/list", json!({}))).await;
    assert_eq!(response.header("Cache-Control"), Some("no-store"));
    assert_eq!(response.header("Mcp-Session-Id"), None);
    assert!(response.header("X-Request-Id").is_some());
    assert_eq!(response.header("Content-Type"), Some("application/json"));
}

//! Calls and their surroundings: the log, and clients that hang up.

use inboxd_testkit::eventually;
use serde_json::json;

use super::client::{legacy, result};
use crate::support::{server, server_and_agent};

#[tokio::test]
async fn log_names_tool_code_and_request() {
    let (server, agent) = server_and_agent().await;
    let refused = json!({"name": "get_inbox", "arguments": {"inboxId": "nobody@nowhere.example"}});
    let request = legacy("tools/call", refused).header("X-Request-Id", "trace-7");
    assert_eq!(result(&agent, request).await["isError"], true);
    let entry = server.log().entry("the call is logged", |entry| entry["tool"] == "get_inbox").await;
    assert_eq!(entry["code"], "not_found", "{entry:#}");
    assert!(entry["duration_ms"].is_u64(), "{entry:#}");
    assert!(entry.to_string().contains("trace-7"), "{entry:#}");
    assert!(!entry.to_string().contains("nobody@nowhere.example"), "{entry:#}");
}

#[tokio::test]
async fn send_of_a_client_that_hangs_up_is_completed() {
    let (_server, agent) = server_and_agent().await;
    let arguments = json!({
        "inboxId": agent.inbox_id,
        "to": ["owner@example.org"],
        "subject": "Hung up",
        "text": "x",
        "idempotencyKey": "k1",
    });
    let call = json!({"name": "send_message", "arguments": arguments});
    let connection = agent.start_request(legacy("tools/call", call.clone())).await;
    // The server has the request when it closes the connection of a client that sends no further bytes.
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    drop(connection);
    let sent = async || {
        let messages = agent.messages().await;
        messages.into_iter().find(|message| message["subject"] == "Hung up")
    };
    let first = eventually("the message is sent", sent).await;
    let repeated = result(&agent, legacy("tools/call", call)).await;
    assert_eq!(repeated["structuredContent"]["messageId"], first["message_id"], "{repeated:#}");
    assert_eq!(agent.messages().await.iter().filter(|message| message["subject"] == "Hung up").count(), 1);
}

#[tokio::test]
async fn unverified_owner_is_refused_with_the_fix_of_the_api() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let mail = json!({"to": ["stranger@outside.example"], "subject": "x", "text": "x"});
    let refused = agent.post(&agent.inbox("/messages/send"), mail).await.require_error(403, "organization_unverified");
    let call = json!({"name": "send_message", "arguments": {
        "inboxId": agent.inbox_id, "to": ["stranger@outside.example"], "subject": "x", "text": "x",
    }});
    let result = result(&agent, legacy("tools/call", call)).await;
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(result["isError"], true);
    assert!(text.contains(refused["fix"].as_str().unwrap()), "{text}\n{refused:#}");
}

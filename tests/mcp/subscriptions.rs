//! Event streams: subscriptions on an inbox, and progress of a wait.

use inboxd_testkit::{EventStream, encoded};
use serde_json::{Value, json};

use super::client::stateless;
use crate::support::{mail_to, receive, server_and_agent};

/// Returns the next message of a stream.
async fn next(stream: &mut EventStream) -> Value {
    loop {
        let event = stream.next().await.unwrap();
        if !event.data.is_empty() {
            return event.json();
        }
    }
}

#[tokio::test]
async fn subscriber_hears_of_mail_in_its_inbox_alone() {
    let (server, agent) = server_and_agent().await;
    let other = agent.post("/v0/inboxes", json!({"username": "other"})).await.ok();
    let uri = format!("inboxd://inboxes/{}", encoded(&agent.inbox_id));
    let wanted =
        json!({"notifications": {"resourceSubscriptions": [uri, "inboxd://elsewhere"], "toolsListChanged": true}});
    let mut stream = agent.open_stream(stateless("subscriptions/listen", wanted)).await.unwrap();
    let acknowledged = next(&mut stream).await;
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged", "{acknowledged:#}");
    assert_eq!(acknowledged["params"]["notifications"], json!({"resourceSubscriptions": [uri]}));
    let elsewhere = other["inbox_id"].as_str().unwrap();
    server.deliver("alice@outside.example", &[elsewhere], mail_to(&agent, "Elsewhere").raw()).await;
    receive(&server, &agent, &mail_to(&agent, "Here")).await;
    let updated = next(&mut stream).await;
    assert_eq!(
        (&updated["method"], &updated["params"]["uri"]),
        (&json!("notifications/resources/updated"), &json!(uri))
    );
    assert_eq!(stream.head.header("X-Accel-Buffering"), Some("no"));
}

#[tokio::test]
async fn inbox_of_another_organization_is_not_followed() {
    let (server, victim) = server_and_agent().await;
    let attacker = server.verified("attacker@example.org", "attacker").await;
    let uri = format!("inboxd://inboxes/{}", encoded(&victim.inbox_id));
    let wanted = json!({"notifications": {"resourceSubscriptions": [uri]}});
    let mut stream = attacker.open_stream(stateless("subscriptions/listen", wanted)).await.unwrap();
    next(&mut stream).await;
    let refused = next(&mut stream).await;
    assert_eq!(refused["error"]["data"]["code"], "not_found", "{refused:#}");
}

#[tokio::test]
async fn subscription_ends_with_its_key() {
    let (_server, agent) = server_and_agent().await;
    let created = agent.post("/v0/api-keys", json!({"name": "short"})).await.ok();
    let client = agent.with_key(created["api_key"].as_str().unwrap());
    let uri = format!("inboxd://inboxes/{}", encoded(&agent.inbox_id));
    let wanted = json!({"notifications": {"resourceSubscriptions": [uri]}});
    let mut stream = client.open_stream(stateless("subscriptions/listen", wanted)).await.unwrap();
    next(&mut stream).await;
    agent.delete(&format!("/v0/api-keys/{}", created["api_key_id"].as_str().unwrap())).await.require_no_content();
    let refused = next(&mut stream).await;
    assert_eq!(refused["error"]["data"]["code"], "unknown_api_key", "{refused:#}");
}

#[tokio::test]
async fn subscription_without_inboxes_has_a_seat_and_ends_with_its_key() {
    let (_server, agent) = server_and_agent().await;
    let created = agent.post("/v0/api-keys", json!({"name": "short"})).await.ok();
    let client = agent.with_key(created["api_key"].as_str().unwrap());
    let mut stream = client.open_stream(stateless("subscriptions/listen", json!({"notifications": {}}))).await.unwrap();
    let acknowledged = next(&mut stream).await;
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged", "{acknowledged:#}");
    agent.delete(&format!("/v0/api-keys/{}", created["api_key_id"].as_str().unwrap())).await.require_no_content();
    let refused = next(&mut stream).await;
    assert_eq!(refused["error"]["data"]["code"], "unknown_api_key", "{refused:#}");
}

#[tokio::test]
async fn wait_reports_progress_and_then_its_result() {
    let (_server, agent) = server_and_agent().await;
    let arguments = json!({"inboxId": agent.inbox_id, "timeoutSeconds": 11});
    let call = json!({"name": "wait_for_message", "arguments": arguments});
    let mut request = super::client::stateless_message("tools/call", call);
    request["params"]["_meta"]["progressToken"] = json!("p1");
    let request = super::client::post(&request)
        .header("MCP-Protocol-Version", super::client::STATELESS)
        .header("Mcp-Method", "tools/call")
        .header("Mcp-Name", "wait_for_message");
    let mut stream = agent.open_stream(request).await.unwrap();
    let progress = next(&mut stream).await;
    assert_eq!(progress["method"], "notifications/progress", "{progress:#}");
    assert_eq!((&progress["params"]["progressToken"], &progress["params"]["total"]), (&json!("p1"), &json!(11.0)));
    let ended = next(&mut stream).await;
    assert_eq!(ended["result"]["structuredContent"]["found"], false, "{ended:#}");
    assert_ne!(ended["result"]["isError"], true);
}

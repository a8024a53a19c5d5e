//! Inboxes and mail as resources.

use inboxd_testkit::encoded;
use serde_json::{Value, json};

use super::client::{legacy, require_rpc_error, result, stateless};
use crate::mcp_tools::require_trust;
use crate::support::{mail_to, receive, server_and_agent};

/// Returns the URI of a message.
fn uri_of(inbox_id: &str, message_id: &Value) -> String {
    format!("inboxd://inboxes/{}/messages/{}", encoded(inbox_id), encoded(message_id.as_str().unwrap()))
}

#[tokio::test]
async fn inboxes_and_mail_are_read_by_their_uris() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "Invoice").id("<a/b+c%d@outside.example>")).await;
    let found = agent.message_about("Invoice").await;
    let listed = result(&agent, stateless("resources/list", json!({}))).await;
    let inbox = listed["resources"][0]["uri"].as_str().unwrap().to_owned();
    assert_eq!(inbox, format!("inboxd://inboxes/{}", encoded(&agent.inbox_id)));
    let read = result(&agent, stateless("resources/read", json!({ "uri": inbox }))).await;
    assert_eq!((&read["cacheScope"], &read["contents"][0]["uri"]), (&json!("private"), &json!(inbox)));
    let text = read["contents"][0]["text"].as_str().unwrap();
    assert!(text.contains("untrusted") && text.contains("Invoice"), "{text}");
    require_trust(&serde_json::from_str::<Value>(text).unwrap()["recentMessages"][0]);

    let uri = uri_of(&agent.inbox_id, &found["message_id"]);
    let read = result(&agent, legacy("resources/read", json!({ "uri": uri }))).await;
    let content: Value = serde_json::from_str(read["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!((&content["messageId"], &content["subject"]), (&found["message_id"], &json!("Invoice")));
    assert!(content["notice"].as_str().unwrap().contains("untrusted"), "{content:#}");
    require_trust(&content);
}

#[tokio::test]
async fn raw_mail_is_a_link_with_notice() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "Small")).await;
    let large = mail_to(&agent, "Large").attach("large.bin", "application/octet-stream", &vec![7; 40_000]);
    receive(&server, &agent, &large).await;
    for subject in ["Small", "Large"] {
        let found = agent.message_about(subject).await;
        let uri = format!("{}/raw", uri_of(&agent.inbox_id, &found["message_id"]));
        let raw = result(&agent, stateless("resources/read", json!({ "uri": uri }))).await;
        assert_eq!(raw["contents"][0]["mimeType"], "application/json", "{raw:#}");
        let text = raw["contents"][0]["text"].as_str().unwrap();
        assert!(!text.contains("Subject:"), "no line of the mail: {text}");
        let link: Value = serde_json::from_str(text).unwrap();
        assert!(link["notice"].as_str().unwrap().contains("untrusted"), "{link:#}");
        let url = link["downloadUrl"].as_str().unwrap();
        let path = &url[url.find("/v0/").unwrap()..];
        assert!(server.http().get(path).await.text().contains(&format!("Subject: {subject}")));
    }
}

#[tokio::test]
async fn resources_of_others_do_not_exist() {
    let (server, victim) = server_and_agent().await;
    receive(&server, &victim, &mail_to(&victim, "CONFIDENTIAL")).await;
    let message = victim.message_about("CONFIDENTIAL").await;
    let attacker = server.verified("attacker@example.org", "attacker").await;
    let uri = uri_of(&victim.inbox_id, &message["message_id"]);
    let inbox = format!("inboxd://inboxes/{}", encoded(&victim.inbox_id));
    let within = uri_of(&attacker.inbox_id, &message["message_id"]);
    for uri in [inbox, uri.clone(), format!("{uri}/raw"), within] {
        let refused = attacker.call(stateless("resources/read", json!({ "uri": uri }))).await;
        assert!(!refused.text().contains("CONFIDENTIAL"), "{}", refused.text());
        let error = require_rpc_error(&refused, 200, -32602);
        assert_eq!(error["data"]["code"], "not_found", "{uri}: {error:#}");
    }
    let blind = victim.create_key("/v0/api-keys", json!({"permissions": {"inbox_read": true}})).await;
    let refused = blind.call(stateless("resources/read", json!({ "uri": uri }))).await;
    let error = require_rpc_error(&refused, 200, -32602);
    assert_eq!(error["data"]["code"], "missing_permission", "{error:#}");
    assert!(error["message"].as_str().unwrap().contains(error["data"]["fix"].as_str().unwrap()), "{error:#}");
}

//! `PATCH …/messages/{message_id}`.

use serde_json::json;

use crate::support::{receive_all, server_and_agent};

#[tokio::test]
async fn label_update_returns_id_and_labels() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["one"]).await;
    let id = agent.message_about("one").await["message_id"].clone();
    let body = json!({"add_labels": ["Important", "important"], "remove_labels": ["unread", "never-there"]});
    let answer = agent.patch(&agent.message(&id, ""), body).await.ok();
    assert_eq!(answer, json!({"message_id": id, "labels": ["important", "received"]}));
    let message = agent.message_about("one").await;
    assert_eq!(message["labels"], answer["labels"]);
    assert!(message["updated_at"].as_str() > message["created_at"].as_str(), "{message:#}");
}

#[tokio::test]
async fn system_labels_cannot_be_set() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["one"]).await;
    let path = agent.message(&agent.message_about("one").await["message_id"], "");
    let system = [
        "received",
        "sent",
        "delivered",
        "bounced",
        "complained",
        "rejected",
        "spam",
        "blocked",
        "unauthenticated",
        "draft",
        "scheduled",
        "awaiting_approval",
        "SPAM",
    ];
    for label in system {
        agent.patch(&path, json!({"add_labels": [label]})).await.require_error(422, "system_label");
        agent.patch(&path, json!({"remove_labels": [label]})).await.require_error(422, "system_label");
    }
    agent.patch(&path, json!({"add_labels": ["trash"], "remove_labels": ["unread"]})).await.ok();
    agent.patch(&path, json!({"add_labels": ["unread"], "remove_labels": ["trash"]})).await.ok();
}

#[tokio::test]
async fn malformed_labels_are_refused() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["one"]).await;
    let path = agent.message(&agent.message_about("one").await["message_id"], "");
    for label in ["", "a,b", "a\"b", "a[b", "a]b", "a\nb", "a\u{0}b", &"x".repeat(65)] {
        let fields = agent.patch(&path, json!({"add_labels": [label]})).await.bad_fields();
        assert!(fields[0].starts_with("add_labels"), "{label:?}: {fields:?}");
    }
    let good = ["größe", &"x".repeat(64), "a b", "a/b:c"];
    agent.patch(&path, json!({"add_labels": good})).await.ok();
    let too_many: Vec<String> = (0..65).map(|number| format!("l{number}")).collect();
    agent.patch(&path, json!({"add_labels": too_many})).await.require_error(422, "validation_error");
    // A single label is accepted without its array.
    agent.patch(&path, json!({"add_labels": "single", "remove_labels": null})).await.ok();
}

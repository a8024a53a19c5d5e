//! `PATCH …/messages/{message_id}`.

use serde_json::json;

use crate::support::{receive_all, server_and_agent};

#[tokio::test]
async fn the_answer_is_the_id_and_the_labels() {
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
async fn labels_of_the_service_are_not_the_callers_to_set() {
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
        "SPAM",
    ];
    for label in system {
        agent.patch(&path, json!({"add_labels": [label]})).await.refused(422, "system_label");
        agent.patch(&path, json!({"remove_labels": [label]})).await.refused(422, "system_label");
    }
    agent.patch(&path, json!({"add_labels": ["trash"], "remove_labels": ["unread"]})).await.ok();
    agent.patch(&path, json!({"add_labels": ["unread"], "remove_labels": ["trash"]})).await.ok();
}

#[tokio::test]
async fn labels_have_a_form() {
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
    agent.patch(&path, json!({"add_labels": too_many})).await.refused(422, "validation_error");
    // A single label may come without its array.
    agent.patch(&path, json!({"add_labels": "single", "remove_labels": null})).await.ok();
}

//! `PATCH …/threads/{thread_id}`: labels of all its messages.

use serde_json::json;

use crate::support::{mail_to, receive, server_and_agent, subjects};

#[tokio::test]
async fn thread_labels_are_union_of_message_labels() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "1").id("<1@outside.example>")).await;
    receive(&server, &agent, &mail_to(&agent, "2").header("In-Reply-To", "<1@outside.example>")).await;
    let thread_id = agent.message_about("1").await["thread_id"].clone();
    let body = json!({"add_labels": ["Todo"], "remove_labels": ["unread"]});
    let changed = agent.patch(&agent.thread(&thread_id, ""), body).await.ok();
    assert_eq!(changed["labels"], json!(["received", "todo"]));
    assert!(changed.get("messages").is_none(), "a thread item: {changed:#}");
    for subject in ["1", "2"] {
        assert_eq!(agent.message_about(subject).await["labels"], json!(["received", "todo"]));
    }
    // A label removed from one message stays on the thread while another message has it.
    let id = agent.message_about("1").await["message_id"].clone();
    agent.patch(&agent.message(&id, ""), json!({"remove_labels": ["todo"]})).await.ok();
    assert_eq!(subjects(&agent, "/threads?labels=todo").await, ["1"]);
    let id = agent.message_about("2").await["message_id"].clone();
    agent.patch(&agent.message(&id, ""), json!({"remove_labels": ["todo"]})).await.ok();
    assert_eq!(subjects(&agent, "/threads?labels=todo").await.len(), 0);
}

#[tokio::test]
async fn system_and_malformed_labels_are_refused() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "1")).await;
    let path = agent.thread(&agent.message_about("1").await["thread_id"], "");
    agent.patch(&path, json!({"add_labels": ["sent"]})).await.require_error(422, "system_label");
    let fields = agent.patch(&path, json!({"add_labels": ["a,b"], "remove_labels": ["c\nd"]})).await.bad_fields();
    assert!(fields[0].starts_with("add_labels") && fields[1].starts_with("remove_labels"), "{fields:?}");
}

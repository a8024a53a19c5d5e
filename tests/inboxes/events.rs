//! `GET /v0/inboxes/{inbox_id}/events`: the label history.

use inboxd_testkit::{Persona, encoded, redacted};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{mail_to, read_pages, receive, receive_all, server_and_agent, text_fields};

/// Returns the history as texts such as `label.added offer <1@outside.example>`, oldest first.
async fn history(agent: &Persona) -> Vec<String> {
    let list = agent.get(&agent.inbox("/events?ascending=true&limit=200")).await.ok();
    let word = |event: &Value, field: &str| event[field].as_str().unwrap().to_owned();
    let line =
        |event: &Value| format!("{} {} {}", word(event, "event_type"), word(event, "label"), word(event, "message_id"));
    list["events"].as_array().unwrap().iter().map(line).collect()
}

#[tokio::test]
async fn label_history_event_has_its_actor() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "1").id("<1@outside.example>")).await;
    let key = agent.post("/v0/api-keys", json!({"name": "Sorter"})).await.ok();
    let sorter = agent.with_key(key["api_key"].as_str().unwrap());
    sorter.patch(&agent.message(&json!("<1@outside.example>"), ""), json!({"add_labels": ["Offer"]})).await.ok();
    let list = agent.get(&agent.inbox("/events")).await.ok();
    assert_eq!((&list["count"], &list["limit"], list.get("next_page_token")), (&json!(1), &json!(50), None));
    let event = &list["events"][0];
    assert_eq!(event["actor"], json!({"type": "api_key", "api_key_id": key["api_key_id"], "name": "Sorter"}));
    assert_snapshot!(redacted(event), @r#"
    {
      "actor": {
        "api_key_id": "[key_…]",
        "name": "Sorter",
        "type": "api_key"
      },
      "created_at": "[time]",
      "event_at": "[time]",
      "event_id": "[evt_…]",
      "event_type": "label.added",
      "inbox_id": "scout@signup.inboxd.localhost",
      "label": "offer",
      "message_id": "<1@outside.example>",
      "organization_id": "[org_…]",
      "pod_id": "[pod_…]"
    }
    "#);
}

#[tokio::test]
async fn label_changes_of_every_endpoint_record_actual_difference() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "1").id("<1@outside.example>")).await;
    receive(
        &server,
        &agent,
        &mail_to(&agent, "2").id("<2@outside.example>").header("In-Reply-To", "<1@outside.example>"),
    )
    .await;
    assert_eq!(history(&agent).await.len(), 0, "system labels have no actor");

    let one = agent.message(&json!("<1@outside.example>"), "");
    agent.patch(&one, json!({"add_labels": ["todo"], "remove_labels": ["unread"]})).await.ok();
    let mut expected = vec!["label.removed unread <1@outside.example>", "label.added todo <1@outside.example>"];
    assert_eq!(history(&agent).await, expected);

    // Existing labels are not added, absent ones are not removed, and unknown messages have no history.
    agent.patch(&one, json!({"add_labels": ["todo"], "remove_labels": ["unread", "never"]})).await.ok();
    let ids = ["<2@outside.example>", "<nobody@outside.example>", "<1@outside.example>"];
    let body = json!({"message_ids": ids, "add_labels": ["todo"]});
    agent.post(&agent.inbox("/messages/batch-update"), body).await.ok();
    expected.push("label.added todo <2@outside.example>");
    assert_eq!(history(&agent).await, expected);

    let thread_id = agent.get(&one).await.ok()["thread_id"].clone();
    let threads = [(agent.thread(&thread_id, ""), "a"), (format!("/v0/threads/{}", thread_id.as_str().unwrap()), "b")];
    for (path, label) in &threads {
        agent.patch(path, json!({"add_labels": [label]})).await.ok();
    }
    expected.extend(["label.added a <1@outside.example>", "label.added a <2@outside.example>"]);
    expected.extend(["label.added b <1@outside.example>", "label.added b <2@outside.example>"]);
    assert_eq!(history(&agent).await, expected);
    let pod = agent.get(&agent.inbox("")).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let path = format!("/v0/pods/{pod}/threads/{}", thread_id.as_str().unwrap());
    agent.patch(&path, json!({"remove_labels": ["a"]})).await.ok();
    agent.patch(&path, json!({"assignee_id": "me"})).await.ok();
    expected.extend(["label.removed a <1@outside.example>", "label.removed a <2@outside.example>"]);
    assert_eq!(history(&agent).await, expected);
}

#[tokio::test]
async fn labels_of_send_are_recorded_and_system_labels_are_not() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "1").id("<1@outside.example>")).await;
    let sent = agent.send(json!({"to": "bob@outside.example", "text": "hello", "labels": ["Offer", "august"]})).await;
    let reply = agent.message(&json!("<1@outside.example>"), "/reply");
    let replied = agent.post(&reply, json!({"text": "yes", "labels": ["answer"]})).await.ok();
    agent.send(json!({"to": "bob@outside.example", "text": "without labels"})).await;
    let id = |sent: &Value| sent["message_id"].as_str().unwrap().to_owned();
    let expected = [
        format!("label.added august {}", id(&sent)),
        format!("label.added offer {}", id(&sent)),
        format!("label.added answer {}", id(&replied)),
    ];
    assert_eq!(history(&agent).await, expected);
}

#[tokio::test]
async fn history_is_listed_newest_first_in_pages() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["1", "2", "3"]).await;
    for message in agent.messages().await {
        agent.patch(&agent.message(&message["message_id"], ""), json!({"add_labels": ["a", "b"]})).await.ok();
    }
    let newest = read_pages(&agent, &agent.inbox("/events?limit=4"), "events", "event_id").await;
    assert_eq!(newest.len(), 6);
    assert!(newest.is_sorted_by(|newer, older| newer > older), "ids sort by time: {newest:?}");
    let mut oldest = read_pages(&agent, &agent.inbox("/events?limit=1&ascending=true"), "events", "event_id").await;
    oldest.reverse();
    assert_eq!(oldest, newest);
    assert_eq!(agent.get(&agent.inbox("/events?limit=201&page_token=x")).await.bad_fields(), ["limit", "page_token"]);
}

#[tokio::test]
async fn history_needs_permission_and_omits_hidden_mail() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "1").id("<1@outside.example>")).await;
    receive(&server, &agent, &mail_to(&agent, "2").id("<2@outside.example>")).await;
    for number in [1, 2] {
        let path = agent.message(&json!(format!("<{number}@outside.example>")), "");
        agent.patch(&path, json!({"add_labels": ["todo"]})).await.ok();
    }
    agent.patch(&agent.message(&json!("<2@outside.example>"), ""), json!({"add_labels": ["trash"]})).await.ok();
    let count = async |permissions: Value| {
        let key = agent.create_key(&agent.inbox("/api-keys"), json!({"name": "key", "permissions": permissions})).await;
        key.get(&agent.inbox("/events")).await
    };
    count(json!({"message_read": true})).await.require_error(403, "missing_permission");
    assert_eq!(count(json!({"event_read": true})).await.ok()["count"], 1);
    assert_eq!(count(json!({"event_read": true, "label_trash_read": true})).await.ok()["count"], 3);
    assert_eq!(history(&agent).await.len(), 3);
}

#[tokio::test]
async fn history_pages_of_limited_key_show_visible_rows_once_despite_changes() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "1").id("<1@outside.example>")).await;
    receive(&server, &agent, &mail_to(&agent, "2").id("<2@outside.example>")).await;
    let label = async |message: u32, name: String| {
        let path = agent.message(&json!(format!("<{message}@outside.example>")), "");
        agent.patch(&path, json!({"add_labels": [name]})).await.ok();
    };
    // Changes that the key cannot see follow each change that it sees.
    for number in 0..7 {
        label(1, format!("seen-{number}")).await;
        for unseen in 0..number {
            label(2, format!("unseen-{number}-{unseen}")).await;
        }
    }
    label(2, "trash".to_owned()).await;
    let permissions = json!({"event_read": true});
    let key = agent.create_key("/v0/api-keys", json!({"name": "key", "permissions": permissions})).await;
    let expected = ["seen-6", "seen-5", "seen-4", "seen-3", "seen-2", "seen-1", "seen-0"];
    for limit in [1, 2, 3, 6, 7, 200] {
        let down = read_pages(&key, &agent.inbox(&format!("/events?limit={limit}")), "events", "label").await;
        assert_eq!(down, expected, "{limit}");
        let mut up =
            read_pages(&key, &agent.inbox(&format!("/events?ascending=true&limit={limit}")), "events", "label").await;
        up.reverse();
        assert_eq!(up, expected, "{limit}");
    }
    for (order, rest) in [("", ["seen-4", "seen-3"]), ("&ascending=true", ["seen-2", "seen-3"])] {
        let page = key.get(&agent.inbox(&format!("/events?limit=2{order}"))).await.ok();
        label(1, format!("late{}", order.len())).await;
        label(2, format!("late{}", order.len())).await;
        let token = encoded(page["next_page_token"].as_str().unwrap());
        let next = key.get(&agent.inbox(&format!("/events?limit=2{order}&page_token={token}"))).await.ok();
        assert_eq!(text_fields(&next, "events", "label"), rest, "{order}");
    }
}

#[tokio::test]
async fn history_outlives_message_but_not_inbox() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "1").id("<1@outside.example>")).await;
    let path = agent.message(&json!("<1@outside.example>"), "");
    agent.patch(&path, json!({"add_labels": ["todo"]})).await.ok();
    agent.delete(&path).await.require_no_content();
    assert_eq!(history(&agent).await, ["label.added todo <1@outside.example>"]);
    agent.delete(&agent.inbox("")).await.require_no_content();
    agent.get(&agent.inbox("/events")).await.require_error(404, "not_found");
}

#[tokio::test]
async fn label_events_are_no_feed_event_types() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "1").id("<1@outside.example>")).await;
    agent.patch(&agent.message(&json!("<1@outside.example>"), ""), json!({"add_labels": ["todo"]})).await.ok();
    assert_eq!(agent.get("/v0/events").await.ok()["count"], 1);
    for kind in ["label.added", "label.removed"] {
        agent.get(&format!("/v0/events?event_types={kind}")).await.require_error(400, "unknown_event_type");
    }
}

//! `POST …/messages/batch-update`.

use serde_json::json;

use crate::support::{count, receive_all, run_concurrently, server_and_agent, subjects};

#[tokio::test]
async fn labels_are_added_and_removed_and_unknown_ids_skipped() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["one", "two", "three"]).await;
    let (one, two) = (agent.message_about("one").await, agent.message_about("two").await);
    let body = json!({
        "message_ids": [one["message_id"], two["message_id"], "<nobody@nowhere.example>"],
        "add_labels": ["Todo", "later"],
        "remove_labels": "unread",
    });
    let updated = agent.post(&agent.inbox("/messages/batch-update"), body).await.ok();
    assert_eq!(updated["count"], 2, "{updated:#}");
    for update in updated["updates"].as_array().unwrap() {
        assert_eq!(update["labels"], json!(["later", "received", "todo"]));
    }
    assert_eq!(subjects(&agent, "/messages?labels=todo").await, ["two", "one"]);
    assert_eq!(subjects(&agent, "/messages?labels=unread").await, ["three"]);
    assert_eq!(subjects(&agent, "/threads?labels=todo").await, ["two", "one"]);
}

#[tokio::test]
async fn batch_update_labels_all_or_none() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["full", "empty"]).await;
    let (full, empty) = (agent.message_about("full").await, agent.message_about("empty").await);
    let many: Vec<String> = (0..60).map(|number| format!("l{number}")).collect();
    agent.patch(&agent.message(&full["message_id"], ""), json!({"add_labels": many})).await.ok();
    let body = json!({
        "message_ids": [empty["message_id"], full["message_id"]],
        "add_labels": ["a", "b", "c", "d", "e"],
    });
    agent.post(&agent.inbox("/messages/batch-update"), body).await.require_error(422, "validation_error");
    assert_eq!(agent.message_about("empty").await["labels"], empty["labels"]);
}

#[tokio::test]
async fn invalid_requests_name_their_field_without_change() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["one"]).await;
    let one = agent.message_about("one").await;
    let path = agent.inbox("/messages/batch-update");
    let id = one["message_id"].as_str().unwrap();
    let ids = |count: usize| (0..count).map(|number| format!("<{number}@x.example>")).collect::<Vec<_>>();
    let table = [
        (json!({"message_ids": [id, id.trim_matches(['<', '>'])], "add_labels": ["x"]}), "message_ids"),
        (json!({"message_ids": ids(51), "add_labels": ["x"]}), "message_ids"),
        (json!({"message_ids": [], "add_labels": ["x"]}), "message_ids"),
        (json!({"add_labels": ["x"]}), "message_ids"),
        (json!({"message_ids": [id], "add_labels": ["a,b"]}), "add_labels"),
        (json!({"message_ids": [id], "add_labels": ["x"], "remove_labels": ["x"]}), "remove_labels"),
        (json!({"message_ids": [id], "add_labels": 7}), "add_labels"),
    ];
    for (body, field) in table {
        let fields = agent.post(&path, body.clone()).await.bad_fields();
        assert!(fields.iter().all(|other| other.starts_with(field)), "{body}: {fields:?}");
    }
    let system = json!({"message_ids": [id], "add_labels": ["fine", "sent"]});
    agent.post(&path, system).await.require_error(422, "system_label");
    assert_eq!(agent.message_about("one").await, one);
}

#[tokio::test]
async fn concurrent_label_changes_are_all_stored() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["one", "two"]).await;
    let ids = json!([agent.message_about("one").await["message_id"], agent.message_about("two").await["message_id"]]);
    let answers = run_concurrently((0..20).map(|number| {
        let (agent, ids) = (agent.clone(), ids.clone());
        async move {
            let body = json!({"message_ids": ids, "add_labels": [format!("l{number}")]});
            agent.post(&agent.inbox("/messages/batch-update"), body).await
        }
    }))
    .await;
    assert_eq!(
        count(&answers, 200),
        20,
        "{:?}",
        answers.iter().map(inboxd_testkit::ApiResponse::text).collect::<Vec<_>>()
    );
    assert_eq!(agent.message_about("two").await["labels"].as_array().unwrap().len(), 22);
}

#[tokio::test]
async fn batch_of_fifty_is_updated_and_larger_one_is_refused() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["one"]).await;
    let one = agent.message_about("one").await["message_id"].clone();
    let mut ids: Vec<_> = (0..49).map(|number| json!(format!("<{number}@x.example>"))).collect();
    ids.push(one.clone());
    let body = json!({"message_ids": ids, "add_labels": ["todo"]});
    let updated = agent.post(&agent.inbox("/messages/batch-update"), body).await.ok();
    let expected = json!([{"message_id": one, "labels": ["received", "todo", "unread"]}]);
    assert_eq!(updated, json!({"limit": 50, "count": 1, "updates": expected}));
}

//! `PATCH /v0/inboxes/{inbox_id}`.

use serde_json::json;

use crate::support::{run_concurrently, server_and_agent};

#[tokio::test]
async fn metadata_merges_key_by_key() {
    let (_server, agent) = server_and_agent().await;
    let path = agent.inbox("");
    let set = agent.patch(&path, json!({"metadata": {"a": "1", "b": 2, "c": true}})).await.ok();
    assert_eq!(set["metadata"], json!({"a": "1", "b": 2, "c": true}));
    let merged = agent.patch(&path, json!({"metadata": {"b": null, "d": 1.5}})).await.ok();
    assert_eq!(merged["metadata"], json!({"a": "1", "c": true, "d": 1.5}));
    let named = agent.patch(&path, json!({"display_name": "Scout"})).await.ok();
    assert_eq!(named["metadata"], merged["metadata"], "an omitted key stays");
    let cleared = agent.patch(&path, json!({"metadata": null})).await.ok();
    assert!(cleared.get("metadata").is_none_or(|metadata| *metadata == json!({})), "{cleared:#}");
    assert_eq!(agent.get(&path).await.ok(), cleared);
}

#[tokio::test]
async fn display_name_is_part_of_from_field() {
    let (_server, agent) = server_and_agent().await;
    agent.patch(&agent.inbox(""), json!({"display_name": "Scout, the Agent"})).await.ok();
    agent.send(json!({"to": "bob@outside.example", "subject": "hello", "text": "hello"})).await;
    let sent = agent.message_about("hello").await;
    assert!(sent["from"].as_str().unwrap().contains("Scout, the Agent"), "{sent:#}");
    assert!(sent["from"].as_str().unwrap().ends_with(&format!("<{}>", agent.inbox_id)), "{sent:#}");
    let cleared = agent.patch(&agent.inbox(""), json!({"display_name": null})).await.ok();
    assert!(cleared.get("display_name").is_none(), "{cleared:#}");
}

#[tokio::test]
async fn concurrent_changes_are_all_stored() {
    let (_server, agent) = server_and_agent().await;
    let answers = run_concurrently((0..30).map(|number| {
        let agent = agent.clone();
        async move { agent.patch(&agent.inbox(""), json!({"metadata": {(format!("k{number}")): number}})).await }
    }))
    .await;
    assert_eq!(crate::support::count(&answers, 200), 30);
    assert_eq!(agent.get(&agent.inbox("")).await.ok()["metadata"].as_object().unwrap().len(), 30);
}

#[tokio::test]
async fn address_is_immutable_and_invalid_fields_are_named() {
    let (_server, agent) = server_and_agent().await;
    let path = agent.inbox("");
    let same = agent.patch(&path, json!({"username": "other", "unknown": 1})).await.ok();
    assert_eq!(same["inbox_id"], agent.inbox_id);
    let bad = json!({"display_name": [], "metadata": 7});
    assert_eq!(agent.patch(&path, bad).await.bad_fields(), ["display_name", "metadata"]);
    assert_eq!(agent.patch(&path, json!({"display_name": "a\nb"})).await.bad_fields(), ["display_name"]);
    agent.patch("/v0/inboxes/nobody@inboxd.localhost", json!({})).await.require_error(404, "not_found");
}

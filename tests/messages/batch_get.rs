//! `POST …/messages/batch-get`.

use serde_json::json;

use crate::support::{receive_all, server_and_agent};

#[tokio::test]
async fn unknown_ids_are_skipped_and_bodies_are_there() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["one", "two", "three"]).await;
    let (one, three) = (agent.message_about("one").await, agent.message_about("three").await);
    // Ids may come with or without their angle brackets.
    let bare = three["message_id"].as_str().unwrap().trim_matches(['<', '>']);
    let body = json!({"message_ids": [one["message_id"], "<nobody@nowhere.example>", bare]});
    let got = agent.post(&agent.inbox("/messages/batch-get"), body).await.ok();
    assert_eq!(got["count"], 2);
    assert_eq!(got["messages"], json!([three, one]));
}

#[tokio::test]
async fn only_this_inbox_is_read() {
    let (server, agent) = server_and_agent().await;
    let other = server.verified("other@example.org", "ranger").await;
    receive_all(&server, &other, &["secret"]).await;
    let id = other.message_about("secret").await["message_id"].clone();
    let got = agent.post(&agent.inbox("/messages/batch-get"), json!({"message_ids": [id]})).await.ok();
    assert_eq!(got["count"], 0);
}

#[tokio::test]
async fn one_to_five_hundred_ids_are_needed_each_once() {
    let (_server, agent) = server_and_agent().await;
    let path = agent.inbox("/messages/batch-get");
    let ids = |count: usize| (0..count).map(|number| format!("<{number}@x.example>")).collect::<Vec<_>>();
    agent.post(&path, json!({"message_ids": ids(500)})).await.ok();
    for bad in [json!(ids(501)), json!([]), json!(["<a@x.example>", "<a@x.example>"]), json!(7), json!(null)] {
        let answer = agent.post(&path, json!({"message_ids": bad})).await;
        let fields = answer.bad_fields();
        assert!(fields[0].starts_with("message_ids"), "{fields:?}");
    }
    assert_eq!(agent.post(&path, json!({})).await.bad_fields(), ["message_ids"]);
}

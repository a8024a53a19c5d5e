//! `POST …/messages/batch-get`.

use serde_json::json;

use crate::support::{mail_to, read_pages, receive, receive_all, server_and_agent};

#[tokio::test]
async fn batch_get_skips_unknown_ids_and_returns_bodies() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["one", "two", "three"]).await;
    let (one, three) = (agent.message_about("one").await, agent.message_about("three").await);
    // Ids are accepted with and without angle brackets.
    let bare = three["message_id"].as_str().unwrap().trim_matches(['<', '>']);
    let body = json!({"message_ids": [one["message_id"], "<nobody@nowhere.example>", bare]});
    let got = agent.post(&agent.inbox("/messages/batch-get"), body).await.ok();
    assert_eq!(got["count"], 2);
    assert_eq!(got["messages"], json!([three, one]));
}

#[tokio::test]
async fn batch_get_reads_only_its_inbox() {
    let (server, agent) = server_and_agent().await;
    let other = server.verified("other@example.org", "ranger").await;
    receive_all(&server, &other, &["secret"]).await;
    let id = other.message_about("secret").await["message_id"].clone();
    let got = agent.post(&agent.inbox("/messages/batch-get"), json!({"message_ids": [id]})).await.ok();
    assert_eq!(got["count"], 0);
}

#[tokio::test]
async fn batch_get_needs_1_to_500_distinct_ids() {
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

#[tokio::test]
async fn batch_above_response_limit_is_refused_with_fitting_count() {
    let (server, agent) = server_and_agent().await;
    let html = "<p>word</p>\r\n".repeat(512 * 1024 / 13);
    for number in 1..=3 {
        let mail = mail_to(&agent, &number.to_string()).id(&format!("<{number}@outside.example>"));
        let mail = mail.header("References", "<1@outside.example>").html(&html);
        receive(&server, &agent, &mail).await;
    }
    // Their stored sizes become those of large mails, which take a minute to read.
    server.database().execute("UPDATE message_bodies SET body_bytes = body_bytes * 12").await;
    let path = agent.inbox("/messages/batch-get");
    let get = |ids: &[&str]| agent.post(&path, json!({ "message_ids": ids }));
    let envelope = get(&["<1@outside.example>", "<2@outside.example>", "<3@outside.example>"])
        .await
        .require_error(413, "payload_too_large");
    let fix = envelope["fix"].as_str().unwrap();
    let fitting: usize = fix.split_whitespace().find_map(|word| word.parse().ok()).unwrap();
    assert_eq!(fitting, 2, "{fix}");
    assert_eq!(get(&["<3@outside.example>", "<2@outside.example>"]).await.ok()["count"], fitting);

    // A thread of the same messages is read in several pages.
    let thread_id = agent.message_about("1").await["thread_id"].clone();
    let target = agent.thread(&thread_id, "?limit=200");
    assert_eq!(read_pages(&agent, &target, "messages", "subject").await.len(), 3);
    let first = agent.get(&target).await.ok();
    assert_eq!((&first["count"], &first["message_count"]), (&json!(fitting), &json!(3)));
}

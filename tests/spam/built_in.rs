use serde_json::json;

use super::{GTUBE, deliver_message, event_types};
use crate::support::{server_and_agent, subjects};

#[tokio::test]
async fn spam_has_label_one_event_and_reasons_and_is_omitted_from_lists() {
    let (server, agent) = server_and_agent().await;
    let spam = deliver_message(&server, &agent, "offer", GTUBE).await;
    let honest = deliver_message(&server, &agent, "lunch", "Shall we meet?").await;

    assert_eq!(spam["labels"], json!(["received", "spam", "unread"]));
    assert_eq!(spam["spam"]["filter"], "built-in");
    assert_eq!((&spam["spam"]["is_spam"], &spam["spam"]["threshold"]), (&json!(true), &json!(5.0)));
    assert_eq!(spam["spam"]["reasons"][0]["name"], "GTUBE");
    assert_eq!(spam["spam"]["reasons"][0]["description"], "it holds the test line that every filter takes for spam");
    assert_eq!(event_types(&agent, &spam).await, ["message.received.spam"]);

    assert_eq!((&honest["labels"], &honest["spam"]["is_spam"]), (&json!(["received", "unread"]), &json!(false)));
    assert_eq!(event_types(&agent, &honest).await, ["message.received"]);
    assert_eq!(subjects(&agent, "/messages").await, ["lunch"]);
    assert_eq!(subjects(&agent, "/messages?include_spam=true").await, ["lunch", "offer"]);
    assert_eq!(subjects(&agent, "/threads").await, ["lunch"]);
}

#[tokio::test]
async fn spam_of_blocked_sender_has_blocked_event_and_both_labels() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/lists/receive/block", json!({"entry": "example.org"})).await.ok();
    let message = deliver_message(&server, &agent, "offer", GTUBE).await;
    assert_eq!(message["labels"], json!(["blocked", "received", "spam", "unread"]));
    assert_eq!(event_types(&agent, &message).await, ["message.received.blocked"]);
}

#[tokio::test]
async fn local_mail_is_scored_and_sent_copy_is_not() {
    let (server, agent) = server_and_agent().await;
    let other = server.verified("other@example.org", "other").await;
    let sent = agent.send(json!({"to": other.inbox_id, "subject": "offer", "text": GTUBE})).await;
    let sent = agent.get(&agent.message(&sent["message_id"], "")).await.ok();
    assert_eq!((&sent["spam"], &sent["authentication"]), (&json!(null), &json!(null)));
    inboxd_testkit::eventually("the local copy is delivered", async || {
        let found = subjects(&other, "/messages?include_spam=true").await;
        (found == ["offer"]).then_some(())
    })
    .await;
    assert_eq!(subjects(&other, "/messages").await, Vec::<String>::new());
}

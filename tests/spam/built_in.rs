use serde_json::json;

use super::{GTUBE, delivered, events};
use crate::support::{server_and_agent, subjects};

#[tokio::test]
async fn spam_has_its_label_its_one_event_and_its_reasons_and_is_left_out_of_lists() {
    let (server, agent) = server_and_agent().await;
    let spam = delivered(&server, &agent, "offer", GTUBE).await;
    let honest = delivered(&server, &agent, "lunch", "Shall we meet?").await;

    assert_eq!(spam["labels"], json!(["received", "spam", "unread"]));
    assert_eq!(spam["spam"]["filter"], "built-in");
    assert_eq!((&spam["spam"]["is_spam"], &spam["spam"]["threshold"]), (&json!(true), &json!(5.0)));
    assert_eq!(spam["spam"]["reasons"][0]["name"], "GTUBE");
    assert_eq!(spam["spam"]["reasons"][0]["description"], "it holds the test line that every filter takes for spam");
    assert_eq!(events(&agent, &spam).await, ["message.received.spam"]);

    assert_eq!((&honest["labels"], &honest["spam"]["is_spam"]), (&json!(["received", "unread"]), &json!(false)));
    assert_eq!(events(&agent, &honest).await, ["message.received"]);
    assert_eq!(subjects(&agent, "/messages").await, ["lunch"]);
    assert_eq!(subjects(&agent, "/messages?include_spam=true").await, ["lunch", "offer"]);
    assert_eq!(subjects(&agent, "/threads").await, ["lunch"]);
}

#[tokio::test]
async fn spam_of_somebody_who_is_blocked_is_blocked_by_its_event_and_both_by_its_labels() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/lists/receive/block", json!({"entry": "example.org"})).await.ok();
    let message = delivered(&server, &agent, "offer", GTUBE).await;
    assert_eq!(message["labels"], json!(["blocked", "received", "spam", "unread"]));
    assert_eq!(events(&agent, &message).await, ["message.received.blocked"]);
}

#[tokio::test]
async fn mail_from_within_is_judged_as_well_and_what_is_sent_is_not() {
    let (server, agent) = server_and_agent().await;
    let other = server.verified("other@example.org", "other").await;
    let sent = agent.send(json!({"to": other.inbox_id, "subject": "offer", "text": GTUBE})).await;
    let sent = agent.get(&agent.message(&sent["message_id"], "")).await.ok();
    assert_eq!((&sent["spam"], &sent["authentication"]), (&json!(null), &json!(null)));
    inboxd_testkit::eventually("it is delivered within", async || {
        let found = subjects(&other, "/messages?include_spam=true").await;
        (found == ["offer"]).then_some(())
    })
    .await;
    assert_eq!(subjects(&other, "/messages").await, Vec::<String>::new());
}

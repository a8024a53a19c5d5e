//! Recipients of a message.

use serde_json::json;

use crate::support::server_and_agent;

#[tokio::test]
async fn more_than_50_recipients_are_refused() {
    let (_server, agent) = server_and_agent().await;
    let send = agent.inbox("/messages/send");
    let people = |from: usize, to: usize| (from..to).map(|n| format!("r{n}@outside.example")).collect::<Vec<_>>();
    let fifty = json!({"to": people(0, 20), "cc": people(20, 40), "bcc": people(40, 50), "text": "x"});
    agent.send(fifty).await;
    let more = json!({"to": people(0, 20), "cc": people(20, 40), "bcc": people(40, 51), "text": "x"});
    assert_eq!(agent.post(&send, more).await.bad_fields(), ["to"]);
    // A repeated address is one recipient.
    let twice = [people(0, 50), vec!["R1@Outside.Example".to_owned()]].concat();
    agent.send(json!({"to": twice, "text": "again"})).await;
}

#[tokio::test]
async fn message_without_recipient_is_refused() {
    let (_server, agent) = server_and_agent().await;
    let send = agent.inbox("/messages/send");
    for body in
        [json!({"text": "x"}), json!({"to": [], "text": "x"}), json!({"to": null, "cc": [], "text": "x"}), json!({})]
    {
        assert_eq!(agent.post(&send, body.clone()).await.bad_fields(), ["to"], "{body}");
    }
}

#[tokio::test]
async fn invalid_addresses_are_all_named() {
    let (_server, agent) = server_and_agent().await;
    let send = agent.inbox("/messages/send");
    let body =
        json!({"to": ["good@outside.example", "bad"], "cc": ["a@b@c"], "bcc": "x", "reply_to": "y", "text": "x"});
    let fields = agent.post(&send, body).await.bad_fields();
    for field in ["to", "cc", "bcc", "reply_to"] {
        assert!(fields.iter().any(|other| other.starts_with(field)), "{field} is not in {fields:?}");
    }
    assert_eq!(agent.messages().await.len(), 0);
}

//! `POST …/messages/send`.

use inboxd_testkit::redacted;
use insta::assert_snapshot;
use serde_json::json;

use super::{server_with_relay, wait_for_event};
use crate::send_methods::{every_send_method, receive_question};
use crate::support::server_and_agent;

#[tokio::test]
async fn relayed_message_has_requested_fields_and_bodies() {
    let (relay, _server, agent) = server_with_relay().await;
    agent.patch(&agent.inbox(""), json!({"display_name": "Scout"})).await.ok();
    let body = json!({
        "to": ["Bob Müller <bob@outside.example>", "carol@outside.example"],
        "cc": "dave@outside.example",
        "bcc": ["eve@outside.example"],
        "reply_to": "answers@outside.example",
        "subject": "Grüße aus Köln",
        "text": "Hallo Bob,\n.\n..\nschöne Grüße\n",
        "html": "<p>Hallo <b>Bob</b>, schöne Grüße</p>",
        "labels": ["campaign"],
        "headers": {"X-Campaign": "spring"},
    });
    let sent = agent.send(body).await;
    assert_snapshot!(redacted(&sent), @r#"
    {
      "message_id": "[<…@signup.inboxd.localhost>]",
      "thread_id": "[thr_…]"
    }
    "#);
    let mail = inboxd_testkit::eventually("the content", async || {
        relay.mails().into_iter().find(|mail| mail.to.contains(&"bob@outside.example".to_owned()))
    })
    .await;
    assert_eq!(
        mail.to,
        ["bob@outside.example", "carol@outside.example", "dave@outside.example", "eve@outside.example"]
    );
    assert!(
        mail.from.ends_with("@signup.inboxd.localhost") && mail.from.starts_with("b-"),
        "a signed return path on the domain of the inbox: {}",
        mail.from
    );
    assert_eq!(mail.header("Message-ID"), sent["message_id"].as_str().unwrap());
    assert!(mail.header("From").contains("Scout") && mail.header("From").contains(&format!("<{}>", agent.inbox_id)));
    assert!(mail.header("To").contains("<bob@outside.example>") && mail.header("To").contains("carol@outside.example"));
    assert!(mail.header("Cc").contains("dave@outside.example"));
    assert!(mail.header("Reply-To").contains("answers@outside.example"));
    assert_eq!(mail.header("X-Campaign"), "spring");
    assert_eq!(mail.header("Auto-Submitted"), "auto-generated");
    assert_eq!(mail.headers("Date").len(), 1);
    assert!(
        mail.headers("In-Reply-To").is_empty()
            && mail.headers("References").is_empty()
            && mail.headers("Bcc").is_empty()
    );
    assert!(!mail.text().contains("eve@"), "a Bcc address is visible:\n{}", mail.text());
    let read = inboxd_mail::parse(&mail.raw);
    assert_eq!(read.subject.as_deref(), Some("Grüße aus Köln"));
    assert_eq!(read.text.unwrap().replace("\r\n", "\n").trim_end(), "Hallo Bob,\n.\n..\nschöne Grüße");
    assert!(read.html.unwrap().contains("schöne Grüße"));
}

#[tokio::test]
async fn sent_message_is_stored_with_sender_and_becomes_delivered() {
    let (_relay, _server, agent) = server_with_relay().await;
    let sent = agent
        .send(json!({"to": "bob@outside.example", "bcc": "eve@outside.example", "subject": "hello", "text": "hello"}))
        .await;
    let id = &sent["message_id"];
    let message = agent.get(&agent.message(id, "")).await.ok();
    assert_eq!(message["thread_id"], sent["thread_id"]);
    assert_eq!(message["bcc"], json!(["eve@outside.example"]));
    assert!(message["labels"].as_array().unwrap().contains(&json!("sent")), "{message:#}");
    assert_eq!(message["sent_by"]["type"], "api_key");
    assert!(message["sent_by"]["api_key_id"].as_str().unwrap().starts_with("key_"), "{message:#}");
    let events = wait_for_event(&agent, "message.sent", id).await;
    assert_snapshot!(redacted(&events), @r#"
    {
      "created_at": "[time]",
      "event_id": "[evt_…]",
      "event_type": "message.sent",
      "inbox_id": "scout@signup.inboxd.localhost",
      "message_id": "[<…@signup.inboxd.localhost>]",
      "organization_id": "[org_…]",
      "pod_id": "[pod_…]",
      "send": {
        "inbox_id": "scout@signup.inboxd.localhost",
        "message_id": "[<…@signup.inboxd.localhost>]",
        "recipients": [
          "bob@outside.example",
          "eve@outside.example"
        ],
        "thread_id": "[thr_…]",
        "timestamp": "[time]"
      },
      "thread_id": "[thr_…]",
      "type": "event"
    }
    "#);
    let delivered = wait_for_event(&agent, "message.delivered", id).await;
    assert_eq!(delivered["delivery"]["recipients"], json!(["bob@outside.example", "eve@outside.example"]));
    let message = agent.get(&agent.message(id, "")).await.ok();
    assert_eq!(message["labels"], json!(["delivered", "sent"]));
}

#[tokio::test]
async fn text_alone_is_sufficient() {
    let (relay, _server, agent) = server_with_relay().await;
    for body in [
        json!({"to": "bob@outside.example"}),
        json!({"to": ["bob@outside.example"], "subject": "s1"}),
        json!({"to": "bob@outside.example", "subject": "s2", "html": "<p>only html</p>", "cc": null, "attachments": null}),
        json!({"bcc": "bob@outside.example", "subject": "s3", "text": "blind"}),
    ] {
        agent.send(body).await;
    }
    for subject in ["s1", "s2", "s3"] {
        relay.mail_about(subject).await;
    }
    let html = agent.message_about("s2").await;
    assert_eq!(html["preview"], "only html");
}

#[tokio::test]
async fn concurrent_messages_arrive_once() {
    let (relay, _server, agent) = server_with_relay().await;
    let answers = crate::support::run_concurrently((0..60).map(|number| {
        let agent = agent.clone();
        let body = json!({"to": format!("r{number}@outside.example"), "subject": format!("n{number}"), "text": "x"});
        async move { agent.post(&agent.inbox("/messages/send"), body).await }
    }))
    .await;
    assert_eq!(crate::support::count(&answers, 200), 60);
    inboxd_testkit::eventually("sixty messages and the code", async || (relay.mails().len() >= 61).then_some(())).await;
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    let mut recipients: Vec<String> = relay.mails().into_iter().flat_map(|mail| mail.to).collect();
    recipients.sort();
    recipients.dedup();
    assert_eq!((recipients.len(), relay.mails().len()), (61, 61));
}

#[tokio::test]
async fn send_methods_return_same_shape() {
    let (server, agent) = server_and_agent().await;
    let question = receive_question(&server, &agent, "bob@outside.example").await;
    for method in every_send_method(&agent, &question).await {
        let sent = method.send(&agent).await.ok();
        let fields: Vec<&String> = sent.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["message_id", "thread_id"], "{}", method.name);
        let stored = agent.get(&agent.message(&sent["message_id"], "")).await.ok();
        assert_eq!(stored["thread_id"], sent["thread_id"], "{}", method.name);
        let is_answer = method.name.starts_with("reply");
        assert_eq!(sent["thread_id"] == question["thread_id"], is_answer, "{}", method.name);
    }
}

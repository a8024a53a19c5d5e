//! `GET /v0/events`.

use inboxd_testkit::{encoded, redacted};
use insta::assert_snapshot;
use serde_json::json;

use crate::support::{mail_to, read_pages, receive, receive_all, server_and_agent, text_fields};

#[tokio::test]
async fn received_mail_appends_event_with_message_and_thread() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "hello").id("<hello@outside.example>")).await;
    let list = agent.get("/v0/events").await.ok();
    assert_eq!((&list["count"], &list["limit"]), (&json!(1), &json!(50)));
    let mut event = list["events"][0].clone();
    assert_eq!(event["organization_id"], agent.organization_id);
    assert_eq!(event["message"]["text"].as_str().unwrap().trim(), "About hello.");
    // The Received field of the server contains varying names and ports.
    event["message"].as_object_mut().unwrap().remove("headers");
    for part in ["message", "thread"] {
        event[part]["size"] = json!("[size]");
        let trust = event[part].as_object_mut().unwrap().remove("trust");
        assert_eq!(trust.unwrap()["verdict"], "first_contact");
    }
    assert_snapshot!(redacted(&event), @r#"
    {
      "created_at": "[time]",
      "event_id": "[evt_…]",
      "event_type": "message.received",
      "inbox_id": "scout@signup.inboxd.localhost",
      "message": {
        "authentication": {
          "dkim": "none",
          "dmarc": "none",
          "spf": "none"
        },
        "created_at": "[time]",
        "delivered_to": "scout@signup.inboxd.localhost",
        "extracted_codes": [],
        "extracted_links": [],
        "extracted_text": "About hello.",
        "from": "Alice <alice@outside.example>",
        "has_hidden_text": false,
        "inbox_id": "scout@signup.inboxd.localhost",
        "labels": [
          "received",
          "unread"
        ],
        "message_id": "<hello@outside.example>",
        "preview": "About hello.",
        "size": "[size]",
        "spam": {
          "filter": "built-in",
          "is_spam": false,
          "reasons": [],
          "score": 0.0,
          "threshold": 5.0
        },
        "subject": "hello",
        "text": "About hello.",
        "thread_id": "[thr_…]",
        "timestamp": "[time]",
        "to": [
          "scout@signup.inboxd.localhost"
        ],
        "updated_at": "[time]"
      },
      "message_id": "<hello@outside.example>",
      "organization_id": "[org_…]",
      "pod_id": "[pod_…]",
      "thread": {
        "assignee": null,
        "created_at": "[time]",
        "inbox_id": "scout@signup.inboxd.localhost",
        "labels": [
          "received",
          "unread"
        ],
        "last_message_id": "<hello@outside.example>",
        "message_count": 1,
        "preview": "About hello.",
        "received_timestamp": "[time]",
        "recipients": [
          "scout@signup.inboxd.localhost"
        ],
        "senders": [
          "Alice <alice@outside.example>"
        ],
        "size": "[size]",
        "subject": "hello",
        "thread_id": "[thr_…]",
        "timestamp": "[time]",
        "updated_at": "[time]"
      },
      "thread_id": "[thr_…]",
      "type": "event"
    }
    "#);
}

#[tokio::test]
async fn events_are_listed_newest_first_in_pages() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["1", "2", "3", "4", "5"]).await;
    let ids = read_pages(&agent, "/v0/events?limit=2", "events", "event_id").await;
    assert_eq!(ids.len(), 5);
    assert!(ids.is_sorted_by(|newer, older| newer > older), "ids sort by time: {ids:?}");
    let list = agent.get("/v0/events").await.ok();
    let subjects: Vec<_> =
        list["events"].as_array().unwrap().iter().map(|event| &event["message"]["subject"]).collect();
    assert_eq!(subjects, ["5", "4", "3", "2", "1"]);
}

#[tokio::test]
async fn events_are_filtered_by_type_and_inbox() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    receive(&server, &agent, &mail_to(&agent, "to scout")).await;
    server
        .deliver("a@outside.example", &["desk@inboxd.localhost"], mail_to(&agent, "to desk").raw())
        .await
        .require_code(250, "2");
    agent.send(json!({"to": "bob@outside.example", "text": "hello"})).await;
    let scout = &agent.inbox_id;
    let table: [(String, &[&str]); 6] = [
        ("event_types=message.received".to_owned(), &["message.received", "message.received"]),
        (format!("event_types=message.received&inbox_id={scout}"), &["message.received"]),
        ("event_types=message.received&inbox_id=Desk@inboxd.localhost".to_owned(), &["message.received"]),
        (
            format!("event_types=message.sent&event_types=message.received&inbox_id={scout}"),
            &["message.sent", "message.received"],
        ),
        (format!("event_types=message.sent,message.received&inbox_id={scout}"), &["message.sent", "message.received"]),
        (format!("event_types=%5B%22message.sent%22%2C%22domain.verified%22%5D&inbox_id={scout}"), &["message.sent"]),
    ];
    for (query, expected) in table {
        let list = agent.get(&format!("/v0/events?{query}")).await.ok();
        assert_eq!(text_fields(&list, "events", "event_type"), expected, "{query}");
    }
    agent.get("/v0/events?inbox_id=nobody@inboxd.localhost").await.require_error(404, "not_found");
}

#[tokio::test]
async fn unknown_event_type_is_refused() {
    let (_server, agent) = server_and_agent().await;
    for types in ["message.flown", "message.received,message.flown", "message.received&event_types=label.added"] {
        let envelope =
            agent.get(&format!("/v0/events?event_types={types}")).await.require_error(400, "unknown_event_type");
        assert_eq!(envelope["name"], "BadRequestError");
        assert!(envelope["fix"].as_str().unwrap().contains("message.received"), "names the types: {envelope:#}");
    }
}

#[tokio::test]
async fn default_window_is_the_last_seven_days() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["new", "old"]).await;
    let old = agent.message_about("old").await["message_id"].as_str().unwrap().to_owned();
    let eight_days = format!("UPDATE events SET created_at = now() - interval '8 days' WHERE message_id = '{old}'");
    server.database().execute(&eight_days).await;
    assert_eq!(agent.get("/v0/events").await.ok()["count"], 1);
    assert_eq!(agent.get("/v0/events?start=2020-01-01T00:00:00Z").await.ok()["count"], 2);
    let at = agent.get("/v0/events").await.ok()["events"][0]["created_at"].as_str().unwrap().to_owned();
    let until = format!("/v0/events?start=2020-01-01T00:00:00Z&end={}", encoded(&at));
    assert_eq!(agent.get(&until).await.ok()["count"], 1, "the end of the window is exclusive");
    assert_eq!(agent.get("/v0/events?end=2020-01-01T00:00:00Z").await.ok()["count"], 0);
    let turned = "/v0/events?start=2026-01-02T00:00:00Z&end=2026-01-01T00:00:00Z";
    assert_eq!(agent.get(turned).await.bad_fields(), ["start"]);
    assert_eq!(agent.get("/v0/events?start=yesterday&end=now").await.bad_fields(), ["end", "start"]);
}

#[tokio::test]
async fn events_of_other_organizations_are_invisible() {
    let (server, agent) = server_and_agent().await;
    let other = server.verified("other@example.org", "ranger").await;
    receive(&server, &other, &mail_to(&other, "secret")).await;
    assert_eq!(agent.get("/v0/events").await.ok()["count"], 0);
    agent.get(&format!("/v0/events?inbox_id={}", other.inbox_id)).await.require_error(404, "not_found");
}

//! Visible content of mail: limited to the permissions of the key, with every omission named.

use inboxd_testkit::{MailBuilder, Persona, ReceivedRequest, WebhookReceiver};
use serde_json::{Value, json};

use crate::support::{mail_to, options, receive, server_and_agent};

#[tokio::test]
async fn event_list_names_omitted_bodies() {
    let (server, agent) = server_and_agent().await;
    let text = "word ".repeat(20_000);
    let mail = MailBuilder::new("Alice <alice@outside.example>", &agent.inbox_id, "large", &text);
    receive(&server, &agent, &mail).await;
    receive(&server, &agent, &mail_to(&agent, "small")).await;
    for path in ["/v0/events?limit=200", "/v0/events?limit=200&wait=0&after_event_id="] {
        let list = agent.get(path).await.ok();
        let about = |subject: &str| {
            let events = list["events"].as_array().unwrap();
            events.iter().find(|event| event["message"]["subject"] == subject).cloned()
        };
        if let Some(large) = about("large") {
            assert!(large["message"].get("text").is_none(), "{path}");
            assert!(large["truncated"].as_array().unwrap().contains(&json!("text")), "{large:#}");
        }
        if let Some(small) = about("small") {
            assert!(small.get("truncated").is_none() && small["message"].get("text").is_some(), "{small:#}");
        }
    }
    let list = agent.get("/v0/events?limit=200").await.ok();
    assert_eq!(list["count"], 2);
}

#[tokio::test]
async fn thread_update_returns_no_mail_without_read_permission() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "secret")).await;
    let message = agent.message_about("secret").await;
    let key = agent.create_key("/v0/api-keys", json!({"permissions": {"message_update": true}})).await;
    for path in
        [agent.thread(&message["thread_id"], ""), format!("/v0/threads/{}", message["thread_id"].as_str().unwrap())]
    {
        let answer = key.patch(&path, json!({"add_labels": "seen"})).await.ok();
        assert!(answer.get("subject").is_none() && answer.get("preview").is_none(), "{answer:#}");
        assert_eq!((&answer["senders"], &answer["recipients"]), (&json!([]), &json!([])), "{answer:#}");
        assert!(answer["labels"].as_array().unwrap().contains(&json!("seen")), "{answer:#}");
        let shown = agent.patch(&path, json!({"add_labels": "seen"})).await.ok();
        assert_eq!(shown["subject"], "secret");
    }
}

#[tokio::test]
async fn thread_omits_hidden_mail_without_permission() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "first").id("<one@outside.example>")).await;
    let first = agent.message_about("first").await;
    let reply = mail_to(&agent, "Re: first").id("<two@outside.example>").header("In-Reply-To", "<one@outside.example>");
    receive(&server, &agent, &reply).await;
    let second = agent.message_about("Re: first").await;
    assert_eq!(first["thread_id"], second["thread_id"]);
    let labels = json!({"add_labels": ["trash", "hush"]});
    agent.patch(&agent.message(&second["message_id"], ""), labels).await.ok();

    let key =
        agent.create_key("/v0/api-keys", json!({"permissions": {"message_read": true, "inbox_read": true}})).await;
    let path = agent.thread(&first["thread_id"], "");
    let (all, some) = (agent.get(&path).await.ok(), key.get(&path).await.ok());
    assert_eq!((&all["message_count"], &some["message_count"]), (&json!(2), &json!(1)), "{some:#}");
    assert!(all["labels"].as_array().unwrap().contains(&json!("hush")));
    assert!(!some["labels"].to_string().contains("hush") && !some["labels"].to_string().contains("trash"), "{some:#}");
    assert!(some["size"].as_u64() < all["size"].as_u64());
    let listed = key.get(&agent.inbox("/threads")).await.ok();
    assert_eq!(listed["threads"][0]["message_count"], 1, "{listed:#}");
    assert_eq!(key.get(&agent.inbox("/threads?labels=hush")).await.ok()["count"], 0);
    assert_eq!(agent.get(&agent.inbox("/threads?labels=hush")).await.ok()["count"], 1);
}

#[tokio::test]
async fn thread_of_event_omits_hidden_mail_without_permission() {
    let server = options().set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let (narrow, wide) = (WebhookReceiver::start().await, WebhookReceiver::start().await);
    for (receiver, event_types) in [
        (&narrow, json!(["message.received"])),
        (&wide, json!(["message.received", "message.received.blocked", "message.received.unauthenticated"])),
    ] {
        agent.post("/v0/webhooks", json!({"url": receiver.url(), "event_types": event_types})).await.ok();
    }
    let permissions = json!({"permissions": {"message_read": true, "inbox_read": true, "event_read": true}});
    let key = agent.create_key("/v0/api-keys", permissions).await;
    agent.post("/v0/lists/receive/block", json!({"entry": "mallory@outside.example"})).await.ok();
    let mail = |from: &str, id: &str| MailBuilder::new(from, &agent.inbox_id, "matter", "text").id(id);
    receive(&server, &agent, &mail("alice@outside.example", "<one@outside.example>")).await;
    let hidden = mail("mallory@outside.example", "<two@outside.example>");
    receive(&server, &agent, &hidden.header("In-Reply-To", "<one@outside.example>")).await;
    let list = agent.get(&agent.inbox("/messages?include_blocked=true")).await.ok();
    assert_eq!(list["count"], 2, "{list:#}");
    let (mut some, _) = key.open_subscribed_socket(json!({})).await;
    let (mut all, _) = agent.open_subscribed_socket(json!({})).await;
    let third_mail = mail("alice@outside.example", "<three@outside.example>");
    receive(&server, &agent, &third_mail.header("In-Reply-To", "<one@outside.example>")).await;

    let mut seen = vec![(some.next_event().await, all.next_event().await)];
    let told = |told: Vec<ReceivedRequest>| newest(&told.iter().map(ReceivedRequest::event).collect::<Vec<_>>());
    seen.push((told(narrow.wait_for_requests(2).await), told(wide.wait_for_requests(3).await)));
    for path in ["/v0/events?limit=1".to_owned(), format!("/v0/events?after_event_id={}", first_event(&agent).await)] {
        let listed = |list: Value| newest(list["events"].as_array().unwrap());
        seen.push((listed(key.get(&path).await.ok()), listed(agent.get(&path).await.ok())));
    }
    for (some, all) in seen {
        let (some, all) = (&some["thread"], &all["thread"]);
        assert_eq!((&some["message_count"], &all["message_count"]), (&json!(2), &json!(3)), "{some:#} {all:#}");
        assert!(!some["labels"].to_string().contains("blocked"), "{some:#}");
        assert!(all["labels"].to_string().contains("blocked"), "{all:#}");
        assert!(some["size"].as_u64() < all["size"].as_u64());
    }
}

fn newest(events: &[Value]) -> Value {
    events.iter().max_by_key(|event| event["event_id"].to_string()).unwrap().clone()
}

async fn first_event(agent: &Persona) -> String {
    let list = agent.get("/v0/events?ascending=true").await.ok();
    list["events"][0]["event_id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn header_that_triggers_automatic_replies_is_refused() {
    let (_server, agent) = server_and_agent().await;
    for name in ["Errors-To", "Disposition-Notification-To", "return-receipt-to", "Apparently-To", "X-Originating-IP"] {
        let body = json!({"to": "bob@outside.example", "text": "hi", "headers": {name: "victim@example.org"}});
        agent.post(&agent.inbox("/messages/send"), body).await.require_error(422, "validation_error");
    }
}

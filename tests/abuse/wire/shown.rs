//! What is shown of mail: no more than the key may read, and never less without saying so.

use inboxd_testkit::{Mail, Persona, Receiver, Told};
use serde_json::{Value, json};

use crate::support::{mail_to, options, receive, server_and_agent};

#[tokio::test]
async fn event_list_names_the_bodies_that_it_leaves_out() {
    let (server, agent) = server_and_agent().await;
    let text = "word ".repeat(20_000);
    let mail = Mail::new("Alice <alice@outside.example>", &agent.inbox_id, "large", &text);
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
async fn thread_change_shows_no_mail_to_a_key_that_may_not_read_it() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "secret")).await;
    let message = agent.message_about("secret").await;
    let key = agent.key_with("/v0/api-keys", json!({"permissions": {"message_update": true}})).await;
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
async fn thread_leaves_out_hidden_mail_for_a_key_that_may_not_see_it() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "first").id("<one@outside.example>")).await;
    let first = agent.message_about("first").await;
    let reply = mail_to(&agent, "Re: first").id("<two@outside.example>").header("In-Reply-To", "<one@outside.example>");
    receive(&server, &agent, &reply).await;
    let second = agent.message_about("Re: first").await;
    assert_eq!(first["thread_id"], second["thread_id"]);
    let labels = json!({"add_labels": ["trash", "hush"]});
    agent.patch(&agent.message(&second["message_id"], ""), labels).await.ok();

    let key = agent.key_with("/v0/api-keys", json!({"permissions": {"message_read": true, "inbox_read": true}})).await;
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
async fn thread_of_event_leaves_out_hidden_mail_for_readers_that_may_not_see_it() {
    let server = options().set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let (narrow, wide) = (Receiver::start().await, Receiver::start().await);
    for (receiver, event_types) in [
        (&narrow, json!(["message.received"])),
        (&wide, json!(["message.received", "message.received.blocked", "message.received.unauthenticated"])),
    ] {
        agent.post("/v0/webhooks", json!({"url": receiver.url(), "event_types": event_types})).await.ok();
    }
    let permissions = json!({"permissions": {"message_read": true, "inbox_read": true, "event_read": true}});
    let key = agent.key_with("/v0/api-keys", permissions).await;
    agent.post("/v0/lists/receive/block", json!({"entry": "mallory@outside.example"})).await.ok();
    let mail = |from: &str, id: &str| Mail::new(from, &agent.inbox_id, "matter", "text").id(id);
    receive(&server, &agent, &mail("alice@outside.example", "<one@outside.example>")).await;
    let hidden = mail("mallory@outside.example", "<two@outside.example>");
    receive(&server, &agent, &hidden.header("In-Reply-To", "<one@outside.example>")).await;
    let list = agent.get(&agent.inbox("/messages?include_blocked=true")).await.ok();
    assert_eq!(list["count"], 2, "{list:#}");
    let (mut some, _) = key.subscribed(json!({})).await;
    let (mut all, _) = agent.subscribed(json!({})).await;
    let third_mail = mail("alice@outside.example", "<three@outside.example>");
    receive(&server, &agent, &third_mail.header("In-Reply-To", "<one@outside.example>")).await;

    let mut seen = vec![(some.event().await, all.event().await)];
    let told = |told: Vec<Told>| newest(&told.iter().map(Told::event).collect::<Vec<_>>());
    seen.push((told(narrow.until(2).await), told(wide.until(3).await)));
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
async fn header_that_makes_others_answer_is_refused() {
    let (_server, agent) = server_and_agent().await;
    for name in ["Errors-To", "Disposition-Notification-To", "return-receipt-to", "Apparently-To", "X-Originating-IP"] {
        let body = json!({"to": "bob@outside.example", "text": "hi", "headers": {name: "victim@example.org"}});
        agent.post(&agent.inbox("/messages/send"), body).await.refused(422, "validation_error");
    }
}

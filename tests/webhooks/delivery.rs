//! What webhooks are told, and in which order.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use inboxd_testkit::{Http, Mail, Persona, Reaction, Receiver, Server, Told, eventually};
use serde_json::{Value, json};
use sha2::Sha256;

use super::path;
use crate::support::{mail_to, options, receive, receive_all, walk};

/// A server that may tell receivers on this machine, and an agent whose owner address is confirmed.
pub(crate) async fn agent_that_tells() -> (Server, Persona) {
    let server = options().set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    (server, agent)
}

/// Makes a webhook to a receiver, with these fields besides.
pub(crate) async fn hook(agent: &Http, receiver: &Receiver, mut fields: Value) -> Value {
    fields["url"] = json!(receiver.url());
    agent.post("/v0/webhooks", fields).await.ok()
}

/// The ids of the events that a receiver was told, in the order in which they came.
pub(crate) fn event_ids(told: &[Told]) -> Vec<String> {
    told.iter().map(|told| told.header("webhook-id").to_owned()).collect()
}

/// How many deliveries of one webhook may be on their way at the same time.
const AT_ONCE: usize = 8;

/// Proves that mails were told of in the order in which they were sent: deliveries begin in their order, and those that
/// are on their way at the same time, each over a connection of its own, may be read in any.
fn assert_begun_in_order(told: &[Told], sent: &[String]) {
    let mut missing = sent.iter().collect::<Vec<_>>();
    for told in told {
        let subject = &told.event()["message"]["subject"];
        let place = missing.iter().position(|sent| subject == sent.as_str());
        let place = place.unwrap_or_else(|| panic!("{subject} was told twice, or never sent"));
        assert!(place < AT_ONCE, "{subject} was told before {:?}", &missing[..place]);
        missing.remove(place);
    }
    assert!(missing.is_empty(), "{missing:?} were not told of");
}

/// The event of a kind, as the list shows it, once it is there.
async fn listed(agent: &Persona, event_type: &str) -> Value {
    eventually(event_type, async || {
        let list = agent.get(&format!("/v0/events?event_types={event_type}")).await.ok();
        list["events"].get(0).cloned()
    })
    .await
}

/// Waits until all events have their places in the feed, and are queued for those who hear of them.
async fn until_all_have_places(server: &Server) {
    // A division by zero until it is so.
    let check = "SELECT 1 / (count(*) = 0)::int FROM feed_pending";
    eventually("all events have their places", async || server.database().try_execute(check).await.ok()).await;
}

#[tokio::test]
async fn a_webhook_is_told_what_the_events_show_signed_over_the_octets() {
    let (server, agent) = agent_that_tells().await;
    let receiver = Receiver::start().await;
    let webhook = hook(&agent, &receiver, json!({"headers": {"Authorization": "Bearer confidential"}})).await;
    receive(&server, &agent, &mail_to(&agent, "hello").html("<p>Shall we?</p>")).await;
    let [told] = receiver.until(1).await.try_into().unwrap();
    assert_eq!(told.path, "/hook");
    let event = told.event();
    assert_eq!(event, listed(&agent, "message.received").await);
    assert_eq!(event["message"]["subject"], "hello");
    assert_eq!(event["message"]["extracted_text"], "About hello.");
    assert_eq!(event["thread"]["message_count"], 1);

    assert_eq!(told.header("authorization"), "Bearer confidential");
    assert_eq!(told.header("content-type"), "application/json");
    assert!(told.header("user-agent").starts_with("inboxd/"), "{told:?}");
    assert_eq!(told.header("webhook-id"), event["event_id"]);
    for name in ["id", "timestamp", "signature"] {
        assert_eq!(told.header(&format!("svix-{name}")), told.header(&format!("webhook-{name}")));
    }
    let secret = webhook["secret"].as_str().unwrap().strip_prefix("whsec_").unwrap();
    let mut mac = Hmac::<Sha256>::new_from_slice(&STANDARD.decode(secret).unwrap()).unwrap();
    mac.update(format!("{}.{}.", told.header("webhook-id"), told.header("webhook-timestamp")).as_bytes());
    mac.update(&told.body);
    assert_eq!(told.header("webhook-signature"), format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())));
    assert!(!server.log().lines().iter().any(|line| line.contains("confidential")));
}

#[tokio::test]
async fn every_kind_reaches_those_who_subscribed_to_it_and_nobody_else() {
    let (server, agent) = agent_that_tells().await;
    let (received, sent) = (Receiver::start().await, Receiver::start().await);
    hook(&agent, &received, json!({"event_types": ["message.received"]})).await;
    hook(&agent, &sent, json!({"event_types": ["message.sent", "message.received.blocked"]})).await;
    agent.post("/v0/lists/receive/block", json!({"entry": "bad.example"})).await.ok();
    let blocked = Mail::new("Mallory <m@bad.example>", &agent.inbox_id, "blocked", "Buy!");
    server.deliver("m@bad.example", &[&agent.inbox_id], blocked.raw()).await.is(250, "2");
    agent.send(json!({"to": "owner@example.org", "subject": "out", "text": "hello"})).await;
    receive(&server, &agent, &mail_to(&agent, "in")).await;
    let told = sent.until(2).await;
    let kinds: Vec<Value> = told.iter().map(|told| told.event()["event_type"].clone()).collect();
    assert_eq!(kinds, ["message.received.blocked", "message.sent"]);
    assert_eq!(told[0].event()["message"]["subject"], "blocked", "whoever asked for such mail sees it");
    let told = received.until(1).await;
    assert_eq!(told.iter().map(|told| told.event()["message"]["subject"].clone()).collect::<Vec<_>>(), ["in"]);
}

#[tokio::test]
async fn deliveries_begin_in_the_order_of_the_events_over_few_connections() {
    let (server, agent) = agent_that_tells().await;
    let receiver = Receiver::start().await;
    hook(&agent, &receiver, json!({"event_types": ["message.received"]})).await;
    let subjects: Vec<String> = (0..60).map(|number| format!("mail {number:02}")).collect();
    receive_all(&server, &agent, &subjects.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let told = receiver.until(60).await;
    assert_begun_in_order(&told, &subjects);
    let mut events =
        walk(&agent, "/v0/events?ascending=true&limit=50&event_types=message.received", "events", "event_id").await;
    let mut ids = event_ids(&told);
    ids.sort();
    events.sort();
    assert_eq!(ids, events);
    assert!(receiver.connections() <= 16, "{} connections were made for 60 events", receiver.connections());
}

#[tokio::test]
async fn a_receiver_that_hangs_holds_up_nobody_else() {
    let (server, agent) = agent_that_tells().await;
    let hanging = Receiver::reacting(|_| Reaction::Hang).await;
    let receiver = Receiver::start().await;
    hook(&agent, &hanging, json!({})).await;
    let subjects: Vec<String> = (0..12).map(|number| format!("mail {number:02}")).collect();
    let sent: Vec<&str> = subjects.iter().map(String::as_str).collect();
    receive_all(&server, &agent, &sent).await;
    assert_begun_in_order(&hanging.until(AT_ONCE).await, &subjects[..AT_ONCE]);
    hook(&agent, &receiver, json!({})).await;
    receive_all(&server, &agent, &sent).await;
    assert_begun_in_order(&receiver.until(12).await, &subjects);
}

#[tokio::test]
async fn what_is_too_large_is_left_out_and_named() {
    let (server, agent) = agent_that_tells().await;
    let receiver = Receiver::start().await;
    hook(&agent, &receiver, json!({})).await;
    // What is new in it is as large once more.
    let html = format!("<p>{}</p>", "h ".repeat(300_000));
    receive(&server, &agent, &mail_to(&agent, "half").html(&html)).await;
    let text = "t ".repeat(1_000_000);
    receive(&server, &agent, &Mail::new("Alice <alice@outside.example>", &agent.inbox_id, "all", &text)).await;
    receive(&server, &agent, &mail_to(&agent, "little")).await;
    let told = receiver.until(3).await;
    assert!(told.iter().all(|told| told.body.len() <= 1_000_000));
    let [half, all, little] = told.iter().map(Told::event).collect::<Vec<_>>().try_into().unwrap();
    assert_eq!((&half["truncated"], &half["message"]["subject"]), (&json!(["html"]), &json!("half")));
    assert_eq!(half["message"].get("html"), None);
    assert_eq!(half["message"]["text"], "About half.");
    assert!(half["message"]["extracted_html"].as_str().unwrap().len() > 500_000);
    assert_eq!(all["truncated"], json!(["text", "extracted_text"]));
    assert_eq!((all["message"].get("text"), &all["message"]["subject"]), (None, &json!("all")));
    assert_eq!(little.get("truncated"), None);
    // The API has it whole.
    let whole = agent.message_about("all").await;
    assert!(whole["text"].as_str().unwrap().len() > 1_900_000);
}

#[tokio::test]
async fn mail_that_was_deleted_before_it_was_told_is_told_by_its_ids() {
    let (server, agent) = agent_that_tells().await;
    let receiver = Receiver::reacting(|_| Reaction::Status(503)).await;
    hook(&agent, &receiver, json!({})).await;
    receive(&server, &agent, &mail_to(&agent, "gone")).await;
    let first = receiver.until(1).await.remove(0).event();
    agent.delete(&agent.message(&first["message"]["message_id"], "")).await.gone();
    let second = receiver.until(2).await.remove(1).event();
    assert_eq!(second["message"]["message_id"], first["message"]["message_id"]);
    assert_eq!((second["message"].get("subject"), second.get("thread")), (None, None));
}

#[tokio::test]
async fn a_webhook_that_is_disabled_or_deleted_is_told_nothing_more() {
    let (server, agent) = agent_that_tells().await;
    let (one, other) = (Receiver::start().await, Receiver::start().await);
    let disabled = hook(&agent, &one, json!({})).await;
    agent.patch(&path(&disabled, ""), json!({"enabled": false})).await.ok();
    receive(&server, &agent, &mail_to(&agent, "unheard")).await;
    until_all_have_places(&server).await;
    let deleted = hook(&agent, &other, json!({})).await;
    receive(&server, &agent, &mail_to(&agent, "heard")).await;
    other.until(1).await;
    agent.patch(&path(&disabled, ""), json!({"enabled": true})).await.ok();
    agent.delete(&path(&deleted, "")).await.gone();
    receive(&server, &agent, &mail_to(&agent, "after")).await;
    let told = one.until(1).await;
    let heard: Vec<Value> = told.iter().map(|told| told.event()["message"]["subject"].clone()).collect();
    assert_eq!((heard, other.told().len()), (vec![json!("after")], 1));
}

#[tokio::test]
async fn notes_and_labels_are_never_told() {
    let (server, agent) = agent_that_tells().await;
    let receiver = Receiver::start().await;
    hook(&agent, &receiver, json!({})).await;
    receive(&server, &agent, &mail_to(&agent, "first")).await;
    let first = receiver.until(1).await.remove(0).event();
    let thread = &first["thread"]["thread_id"];
    agent.post(&agent.thread(thread, "/notes"), json!({"text": "between us"})).await.ok();
    agent.patch(&agent.message(&first["message"]["message_id"], ""), json!({"add_labels": ["done"]})).await.ok();
    receive(&server, &agent, &mail_to(&agent, "second")).await;
    let told = receiver.until(2).await;
    let heard: Vec<Value> = told.iter().map(|told| told.event()["message"]["subject"].clone()).collect();
    assert_eq!(heard, ["first", "second"]);
    assert!(!told.iter().any(|told| String::from_utf8_lossy(&told.body).contains("between us")));
}

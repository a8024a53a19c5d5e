//! Content and order of webhook deliveries.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use inboxd_testkit::{
    HttpClient, MailBuilder, Persona, Reaction, ReceivedRequest, TestServer, WebhookReceiver, eventually,
};
use serde_json::{Value, json};
use sha2::Sha256;

use super::failures::make_due;
use super::webhook_path;
use crate::support::{mail_to, options, read_pages, receive, receive_all};

/// A server that permits local receivers, and a verified agent.
pub(crate) async fn agent_with_local_webhooks() -> (TestServer, Persona) {
    let server = options().set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    (server, agent)
}

/// Creates a webhook to a receiver with these additional fields.
pub(crate) async fn create_webhook_to(agent: &HttpClient, receiver: &WebhookReceiver, mut fields: Value) -> Value {
    fields["url"] = json!(receiver.url());
    agent.post("/v0/webhooks", fields).await.ok()
}

/// Returns the ids of the received events in order of arrival.
pub(crate) fn event_ids(told: &[ReceivedRequest]) -> Vec<String> {
    told.iter().map(|told| told.header("webhook-id").to_owned()).collect()
}

/// Maximum concurrent deliveries of one webhook.
const AT_ONCE: usize = 8;

/// Requires that events were delivered in the order of sending. Deliveries start in order; concurrent ones use separate
/// connections and may arrive in any order.
fn assert_started_in_order(told: &[ReceivedRequest], sent: &[String]) {
    let mut missing = sent.iter().collect::<Vec<_>>();
    for told in told {
        let subject = &told.event()["message"]["subject"];
        let place = missing.iter().position(|sent| subject == sent.as_str());
        let place = place.unwrap_or_else(|| panic!("{subject} was delivered twice, or never sent"));
        assert!(place < AT_ONCE, "{subject} was delivered before {:?}", &missing[..place]);
        missing.remove(place);
    }
    assert!(missing.is_empty(), "{missing:?} were not delivered");
}

/// Waits for the listed event of a type.
async fn wait_for_listed(agent: &Persona, event_type: &str) -> Value {
    eventually(event_type, async || {
        let list = agent.get(&format!("/v0/events?event_types={event_type}")).await.ok();
        list["events"].get(0).cloned()
    })
    .await
}

/// Waits until all events have positions and are queued for their webhooks.
async fn wait_for_positions(server: &TestServer) {
    // The query divides by zero until then.
    let check = "SELECT 1 / (count(*) = 0)::int FROM feed_pending";
    eventually("all events have positions", async || server.database().try_execute(check).await.ok()).await;
}

#[tokio::test]
async fn webhook_receives_signed_event_as_listed() {
    let (server, agent) = agent_with_local_webhooks().await;
    let receiver = WebhookReceiver::start().await;
    let webhook =
        create_webhook_to(&agent, &receiver, json!({"headers": {"Authorization": "Bearer confidential"}})).await;
    receive(&server, &agent, &mail_to(&agent, "hello").html("<p>Shall we?</p>")).await;
    let [told] = receiver.wait_for_requests(1).await.try_into().unwrap();
    assert_eq!(told.path, "/hook");
    let event = told.event();
    assert_eq!(event, wait_for_listed(&agent, "message.received").await);
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
async fn event_types_are_delivered_to_their_subscribers_only() {
    let (server, agent) = agent_with_local_webhooks().await;
    let (received, sent) = (WebhookReceiver::start().await, WebhookReceiver::start().await);
    create_webhook_to(&agent, &received, json!({"event_types": ["message.received"]})).await;
    create_webhook_to(&agent, &sent, json!({"event_types": ["message.sent", "message.received.blocked"]})).await;
    agent.post("/v0/lists/receive/block", json!({"entry": "bad.example"})).await.ok();
    let blocked = MailBuilder::new("Mallory <m@bad.example>", &agent.inbox_id, "blocked", "Buy!");
    server.deliver("m@bad.example", &[&agent.inbox_id], blocked.raw()).await.require_code(250, "2");
    agent.send(json!({"to": "owner@example.org", "subject": "out", "text": "hello"})).await;
    receive(&server, &agent, &mail_to(&agent, "in")).await;
    let told = sent.wait_for_requests(2).await;
    let kinds: Vec<Value> = told.iter().map(|told| told.event()["event_type"].clone()).collect();
    assert_eq!(kinds, ["message.received.blocked", "message.sent"]);
    assert_eq!(told[0].event()["message"]["subject"], "blocked", "a subscriber to hidden mail receives it");
    let told = received.wait_for_requests(1).await;
    assert_eq!(told.iter().map(|told| told.event()["message"]["subject"].clone()).collect::<Vec<_>>(), ["in"]);
}

#[tokio::test]
async fn deliveries_start_in_event_order_over_few_connections() {
    let (server, agent) = agent_with_local_webhooks().await;
    let receiver = WebhookReceiver::start().await;
    create_webhook_to(&agent, &receiver, json!({"event_types": ["message.received"]})).await;
    let subjects: Vec<String> = (0..40).map(|number| format!("mail {number:02}")).collect();
    receive_all(&server, &agent, &subjects.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let told = receiver.wait_for_requests(40).await;
    assert_started_in_order(&told, &subjects);
    let mut events =
        read_pages(&agent, "/v0/events?ascending=true&limit=50&event_types=message.received", "events", "event_id")
            .await;
    let mut ids = event_ids(&told);
    ids.sort();
    events.sort();
    assert_eq!(ids, events);
    assert!(receiver.connections() <= 16, "{} connections were made for 40 events", receiver.connections());
}

#[tokio::test]
async fn hanging_receiver_does_not_delay_others() {
    let (server, agent) = agent_with_local_webhooks().await;
    let hanging = WebhookReceiver::start_with(|_| Reaction::Hang).await;
    let receiver = WebhookReceiver::start().await;
    create_webhook_to(&agent, &hanging, json!({})).await;
    let subjects: Vec<String> = (0..12).map(|number| format!("mail {number:02}")).collect();
    let sent: Vec<&str> = subjects.iter().map(String::as_str).collect();
    receive_all(&server, &agent, &sent).await;
    assert_started_in_order(&hanging.wait_for_requests(AT_ONCE).await, &subjects[..AT_ONCE]);
    create_webhook_to(&agent, &receiver, json!({})).await;
    receive_all(&server, &agent, &sent).await;
    assert_started_in_order(&receiver.wait_for_requests(12).await, &subjects);
}

#[tokio::test]
async fn too_large_content_is_omitted_and_named() {
    let (server, agent) = agent_with_local_webhooks().await;
    let receiver = WebhookReceiver::start().await;
    create_webhook_to(&agent, &receiver, json!({})).await;
    // The extracted text is as large again.
    let html = format!("<p>{}</p>", "h ".repeat(300_000));
    receive(&server, &agent, &mail_to(&agent, "half").html(&html)).await;
    let text = "t ".repeat(1_000_000);
    receive(&server, &agent, &MailBuilder::new("Alice <alice@outside.example>", &agent.inbox_id, "all", &text)).await;
    receive(&server, &agent, &mail_to(&agent, "little")).await;
    let told = receiver.wait_for_requests(3).await;
    assert!(told.iter().all(|told| told.body.len() <= 1_000_000));
    let [half, all, little] = told.iter().map(ReceivedRequest::event).collect::<Vec<_>>().try_into().unwrap();
    assert_eq!((&half["truncated"], &half["message"]["subject"]), (&json!(["html"]), &json!("half")));
    assert_eq!(half["message"].get("html"), None);
    assert_eq!(half["message"]["text"], "About half.");
    assert!(half["message"]["extracted_html"].as_str().unwrap().len() > 500_000);
    assert_eq!(all["truncated"], json!(["text", "extracted_text"]));
    assert_eq!((all["message"].get("text"), &all["message"]["subject"]), (None, &json!("all")));
    assert_eq!(little.get("truncated"), None);
    // The API has the complete content.
    let whole = agent.message_about("all").await;
    assert!(whole["text"].as_str().unwrap().len() > 1_900_000);
}

#[tokio::test]
async fn mail_deleted_before_delivery_is_delivered_as_ids() {
    let (server, agent) = agent_with_local_webhooks().await;
    let receiver = WebhookReceiver::start_with(|_| Reaction::Status(503)).await;
    create_webhook_to(&agent, &receiver, json!({})).await;
    receive(&server, &agent, &mail_to(&agent, "gone")).await;
    let first = receiver.wait_for_requests(1).await.remove(0).event();
    agent.delete(&agent.message(&first["message"]["message_id"], "")).await.require_no_content();
    // The retry is due after five seconds; the test does not wait for that.
    let second = eventually("the retry", async || {
        make_due(&server).await;
        receiver.requests().get(1).map(ReceivedRequest::event)
    })
    .await;
    assert_eq!(second["message"]["message_id"], first["message"]["message_id"]);
    assert_eq!((second["message"].get("subject"), second.get("thread")), (None, None));
}

#[tokio::test]
async fn disabled_or_deleted_webhook_receives_nothing() {
    let (server, agent) = agent_with_local_webhooks().await;
    let (one, other) = (WebhookReceiver::start().await, WebhookReceiver::start().await);
    let disabled = create_webhook_to(&agent, &one, json!({})).await;
    agent.patch(&webhook_path(&disabled, ""), json!({"enabled": false})).await.ok();
    receive(&server, &agent, &mail_to(&agent, "unheard")).await;
    wait_for_positions(&server).await;
    let deleted = create_webhook_to(&agent, &other, json!({})).await;
    receive(&server, &agent, &mail_to(&agent, "heard")).await;
    other.wait_for_requests(1).await;
    agent.patch(&webhook_path(&disabled, ""), json!({"enabled": true})).await.ok();
    agent.delete(&webhook_path(&deleted, "")).await.require_no_content();
    receive(&server, &agent, &mail_to(&agent, "after")).await;
    let told = one.wait_for_requests(1).await;
    let heard: Vec<Value> = told.iter().map(|told| told.event()["message"]["subject"].clone()).collect();
    assert_eq!((heard, other.requests().len()), (vec![json!("after")], 1));
}

#[tokio::test]
async fn notes_and_labels_are_never_delivered() {
    let (server, agent) = agent_with_local_webhooks().await;
    let receiver = WebhookReceiver::start().await;
    create_webhook_to(&agent, &receiver, json!({})).await;
    receive(&server, &agent, &mail_to(&agent, "first")).await;
    let first = receiver.wait_for_requests(1).await.remove(0).event();
    let thread = &first["thread"]["thread_id"];
    agent.post(&agent.thread(thread, "/notes"), json!({"text": "between us"})).await.ok();
    agent.patch(&agent.message(&first["message"]["message_id"], ""), json!({"add_labels": ["done"]})).await.ok();
    receive(&server, &agent, &mail_to(&agent, "second")).await;
    let told = receiver.wait_for_requests(2).await;
    let heard: Vec<Value> = told.iter().map(|told| told.event()["message"]["subject"].clone()).collect();
    assert_eq!(heard, ["first", "second"]);
    assert!(!told.iter().any(|told| String::from_utf8_lossy(&told.body).contains("between us")));
}

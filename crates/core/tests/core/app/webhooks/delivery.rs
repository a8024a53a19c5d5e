//! Webhook deliveries: content and recorded outcomes.

use async_trait::async_trait;
use inboxd_core::app::App;
use inboxd_core::app::webhooks::{GivenUp, Outcome, Prepared, Room, attempt, claim, prepare, record};
use inboxd_core::model::event::EventRecord;
use inboxd_core::model::{
    EncryptedSecrets, Event, EventBody, EventType, PreviousSecret, Thread, Webhook, WebhookAttempt, WebhookDelivery,
    WebhookId, WebhookSecret,
};
use inboxd_core::ports::{
    DeliveryClaim, EventJson, EventKey, FailureRun, NotAnswered, Notification, OnItsWay, Settlement, StoreError, Vault,
    WebhookAnswer, WebhookSender, WholeEvent,
};
use inboxd_core::rules::webhooks::auto_disable::FailureStreak;
use inboxd_core::rules::webhooks::signature;
use inboxd_core::rules::webhooks::truncation::OmittablePart;
use inboxd_core::testing::fixtures::{self, NOW, id};
use inboxd_core::testing::{Captured, FixedClock, PlainVault, World};
use serde_json::json;
use time::{Duration, OffsetDateTime};

use crate::app::records_audit;

mod recording;

/// A rendering of an event with its id, its text and the omitted parts.
struct Words;

impl EventJson for Words {
    fn event_json(&self, record: &EventRecord, truncated: &[&'static str]) -> Vec<u8> {
        let text = record.mail.as_ref().map(|(message, _)| message.body.text.clone().unwrap_or_default());
        format!("{} {text:?} {truncated:?}", record.event.event_id).into_bytes()
    }
}

/// A network with the same response to every request, after three seconds.
struct Network {
    answer: Result<WebhookAnswer, NotAnswered>,
    clock: FixedClock,
    sent: Captured<Notification>,
}

#[async_trait]
impl WebhookSender for Network {
    async fn send(&self, notification: Notification, on_its_way: OnItsWay) -> Result<WebhookAnswer, NotAnswered> {
        on_its_way();
        self.sent.push(notification);
        self.clock.advance(Duration::seconds(3));
        self.answer.clone()
    }
}

fn delivery() -> WebhookDelivery {
    WebhookDelivery {
        organization_id: id(1),
        webhook_id: fixtures::webhook().webhook_id,
        event_id: id(70),
        event_type: EventType::MessageReceived,
        event_created_at: NOW,
        position: 5,
        failed: 0,
        claim_id: id(90),
        is_failing: false,
    }
}

/// The event of [`delivery`] about a mail with these labels.
fn event(labels: &[&str]) -> WholeEvent {
    let mut message = fixtures::message(fixtures::message_item());
    message.item.labels = labels.iter().copied().collect();
    let thread = Thread::started_by(&message.item);
    let event = Event {
        event_id: id(70),
        event_type: EventType::MessageReceived,
        organization_id: id(1),
        pod_id: Some(id(2)),
        inbox_id: Some(message.item.inbox_id.clone()),
        thread_id: Some(thread.thread_id),
        message_id: Some(message.item.message_id.clone()),
        body: EventBody::Received { verdict: None },
        created_at: NOW,
        traceparent: None,
    };
    WholeEvent { record: EventRecord { event, mail: Some((message, thread)) }, left_out: Vec::new() }
}

/// An environment with this webhook, if any, and this event.
fn world(receiver: Option<(Webhook, EncryptedSecrets)>, event: Option<WholeEvent>) -> World {
    let mut world = World::default();
    world.store.expect_receivers().returning(move |asked| {
        assert_eq!(asked, [(id(1), fixtures::webhook().webhook_id)]);
        Ok(receiver.clone().into_iter().collect())
    });
    world.store.expect_whole_events().returning(move |asked, largest_body| {
        assert_eq!(asked, [EventKey { organization_id: id(1), created_at: NOW, event_id: id(70) }]);
        assert_eq!(largest_body, 1_000_000);
        Ok(event.clone().into_iter().collect())
    });
    world
}

async fn prepared(app: &App) -> Prepared {
    let [prepared] = prepare(app, &Words, vec![delivery()]).await.unwrap().try_into().unwrap();
    prepared
}

/// Sends an event to a webhook with this response. Returns the request and the outcome.
async fn delivered(
    receiver: (Webhook, EncryptedSecrets),
    event: WholeEvent,
    answer: Result<WebhookAnswer, NotAnswered>,
) -> (Notification, Outcome) {
    let world = world(Some(receiver), Some(event));
    let network = Network { answer, clock: world.clock.clone(), sent: Captured::default() };
    let app = world.app();
    let prepared = prepared(&app).await;
    let outcome = attempt(&app, &network, prepared, Box::new(|| ())).await.unwrap();
    (network.sent.only(), outcome)
}

fn answered(status: u16, body: &str) -> WebhookAnswer {
    WebhookAnswer { status, body: body.to_owned() }
}

fn text(notification: &Notification) -> String {
    String::from_utf8(notification.body.clone()).unwrap()
}

fn both() -> (Webhook, EncryptedSecrets) {
    (fixtures::webhook(), fixtures::sealed())
}

#[tokio::test]
async fn event_is_sent_signed_with_webhook_headers() {
    let webhook_id = fixtures::webhook().webhook_id;
    let seal = |byte: u8| PlainVault.seal(webhook_id.0.as_bytes(), &[byte; 32]).unwrap();
    let context = [webhook_id.0.as_bytes().as_slice(), b"headers"].concat();
    let previous = |byte, until| PreviousSecret { secret: seal(byte), until };
    let sealed = EncryptedSecrets {
        headers: Some(PlainVault.seal(&context, br#"{"Authorization": "Bearer x"}"#).unwrap()),
        // One secret signs until its expiry, and the other one has expired.
        previous: vec![previous(8, NOW + Duration::MILLISECOND), previous(9, NOW)],
        ..fixtures::sealed()
    };
    let (sent, _) = delivered((fixtures::webhook(), sealed), event(&["received"]), Ok(answered(200, ""))).await;
    let body = "evt_00000000000000000000000000000046 Some(\"Shall we?\") []";
    assert_eq!((sent.url.as_str(), text(&sent).as_str()), ("https://hooks.example.org/inboxd", body));
    let secrets = [7, 8].map(|byte| WebhookSecret::from_random([byte; 32]));
    let fields = signature::fields(&secrets, "evt_00000000000000000000000000000046", NOW, body.as_bytes());
    let expected: Vec<(String, String)> = std::iter::once(("Authorization", "Bearer x".to_owned()))
        .chain(fields)
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    assert_eq!(sent.headers, expected);
}

#[tokio::test]
async fn status_2xx_is_success_and_all_others_are_failures() {
    let failed = |status: Option<u16>, said: Option<&str>, error: Option<&str>| {
        (status, said.map(str::to_owned), error.map(str::to_owned), Some(NOW + Duration::seconds(3 + 5)))
    };
    let taken = |status| (Some(status), None, None, None);
    let no_answer = Err(NotAnswered("no answer within 15 s".to_owned()));
    for (answer, expected) in [
        (Ok(answered(200, "thanks")), taken(200)),
        (Ok(answered(204, "")), taken(204)),
        (Ok(answered(299, "")), taken(299)),
        (Ok(answered(199, "")), failed(Some(199), None, None)),
        (Ok(answered(301, "moved")), failed(Some(301), Some("moved"), None)),
        (Ok(answered(410, "")), failed(Some(410), None, None)),
        (Ok(answered(500, "oops")), failed(Some(500), Some("oops"), None)),
        (no_answer, failed(None, None, Some("no answer within 15 s"))),
    ] {
        let (_, outcome) = delivered(both(), event(&["received"]), answer).await;
        assert_eq!(outcome.delivery, delivery());
        let attempt = outcome.attempt.unwrap();
        assert_eq!((attempt.attempted_at, attempt.duration_ms), (NOW, 3_000));
        assert_eq!((attempt.webhook_id, attempt.event_id), (delivery().webhook_id, delivery().event_id));
        assert_eq!((attempt.status_code, attempt.response_body, attempt.error, attempt.next_attempt_at), expected);
    }
}

#[tokio::test]
async fn delivery_is_abandoned_after_eighth_failure() {
    for (failed, next) in [(0, Some(5)), (1, Some(300)), (6, Some(36_000)), (7, None), (8, None)] {
        let world = world(Some(both()), Some(event(&["received"])));
        let clock = world.clock.clone();
        let app = world.app();
        let network = Network { answer: Ok(answered(500, "")), clock, sent: Captured::default() };
        let taken = WebhookDelivery { failed, ..delivery() };
        let [prepared] = prepare(&app, &Words, vec![taken]).await.unwrap().try_into().unwrap();
        let outcome = attempt(&app, &network, prepared, Box::new(|| ())).await.unwrap();
        let expected = next.map(|seconds| NOW + Duration::seconds(3 + seconds));
        assert_eq!(outcome.attempt.unwrap().next_attempt_at, expected, "after {failed} failures");
    }
}

#[tokio::test]
async fn hidden_mail_is_sent_to_subscribers_and_as_ids_to_others() {
    let hearing =
        |kinds: &[EventType]| (Webhook { event_types: kinds.to_vec(), ..fixtures::webhook() }, fixtures::sealed());
    let (received, spam) = (EventType::MessageReceived, EventType::MessageReceivedSpam);
    for (kinds, labels, is_shown) in [
        (&[received][..], &["received"][..], true),
        (&[received], &["received", "trash"], true),
        (&[received], &["received", "spam"], false),
        (&[received, spam], &["received", "spam"], true),
    ] {
        let mut large = event(labels);
        large.left_out = vec![OmittablePart::Html];
        let (sent, _) = delivered(hearing(kinds), large, Ok(answered(200, ""))).await;
        let expected = if is_shown { "Some(\"Shall we?\") [\"html\"]" } else { "None []" };
        assert!(text(&sent).ends_with(expected), "{kinds:?}, {labels:?}: {}", text(&sent));
    }
}

#[tokio::test]
async fn large_event_is_sent_without_largest_parts() {
    let mut large = event(&["received"]);
    if let Some((message, _)) = &mut large.record.mail {
        message.body.text = Some("x".repeat(1_000_000));
    }
    let (sent, _) = delivered(both(), large, Ok(answered(200, ""))).await;
    assert!(text(&sent).ends_with("Some(\"\") [\"text\"]"), "{}", text(&sent));
}

#[tokio::test]
async fn unsendable_deliveries_are_removed() {
    let disabled = (Webhook { enabled: false, ..fixtures::webhook() }, fixtures::sealed());
    let sealed_elsewhere = EncryptedSecrets { secret: b"sealed under another key".to_vec(), ..fixtures::sealed() };
    let unsigned = (fixtures::webhook(), sealed_elsewhere);
    let shown = Some(event(&["received"]));
    for (receiver, event, expected) in [
        (None, shown.clone(), None),
        (Some(disabled), shown.clone(), None),
        // Expired events leave the queue without an outcome.
        (Some(both()), None, Some(None)),
        (Some(unsigned), shown, Some(Some("the secrets of the webhook cannot be opened"))),
    ] {
        let world = world(receiver, event);
        let network = Network { answer: Ok(answered(200, "")), clock: world.clock.clone(), sent: Captured::default() };
        let app = world.app();
        let prepared = prepared(&app).await;
        let outcome = attempt(&app, &network, prepared, Box::new(|| ())).await;
        assert_eq!(network.sent.all(), []);
        let Some(expected) = expected else {
            assert_eq!(outcome, None);
            continue;
        };
        let attempt = outcome.unwrap().attempt;
        assert_eq!(attempt.is_some(), expected.is_some());
        let (Some(attempt), Some(expected)) = (attempt, expected) else { continue };
        assert!(attempt.error.unwrap().starts_with(expected));
        assert_eq!(attempt.next_attempt_at, Some(NOW + Duration::seconds(5)));
    }
}

#[tokio::test]
async fn claim_lasts_a_minute_within_limits() {
    let mut world = World::default();
    let asked = Captured::default();
    let seen = asked.clone();
    world.store.expect_claim_deliveries().return_once(move |claim: &DeliveryClaim| {
        seen.push(claim.clone());
        Ok(vec![delivery()])
    });
    let claimed = claim(&world.app(), Room { all: 20, failing: 10, held: vec![(id(1), 3)] }).await.unwrap();
    assert_eq!(claimed, [delivery()]);
    let DeliveryClaim { now, until, limit, failing, per_webhook, share_divisor, held, .. } = asked.only();
    assert_eq!((now, until - now, limit, failing, per_webhook), (NOW, Duration::MINUTE, 20, 10, 8));
    assert_eq!((share_divisor, held), (8, vec![(id(1), 3)]));
}

use std::collections::BTreeMap;

use async_trait::async_trait;
use inboxd_core::app::{Delivered, LEASE, attempt_delivery, claim_due_mail};
use inboxd_core::model::outgoing::SentMessage;
use inboxd_core::model::{
    Event, EventBody, EventType, MessageItem, Outcome, Outgoing, RawMail, RecipientStatus, Route, Suppression,
    SuppressionReason, Thread,
};
use inboxd_core::ports::{OutgoingMail, RecipientOutcome, StoreError, Transport, Vault};
use inboxd_core::testing::fixtures::{self, NOW, address, id, message_id};
use inboxd_core::testing::{Captured, MockTx, PlainVault, World};
use inboxd_core::{Error, ports};
use time::Duration;

use super::thread_of;

/// A transport that does to each recipient what the test says, and delivers to all others.
#[derive(Default)]
struct Stub {
    outcomes: BTreeMap<&'static str, Outcome>,
    handed_over: Captured<OutgoingMail>,
}

#[async_trait]
impl Transport for Stub {
    async fn deliver(&self, mail: &OutgoingMail) -> Vec<RecipientOutcome> {
        self.handed_over.push(mail.clone());
        let outcome = |recipient: &inboxd_mail::EmailAddress| {
            self.outcomes.get(recipient.as_str()).cloned().unwrap_or(Outcome::Delivered)
        };
        mail.recipients
            .iter()
            .map(|recipient| RecipientOutcome { recipient: recipient.clone(), outcome: outcome(recipient) })
            .collect()
    }
}

fn transport(outcomes: &[(&'static str, Outcome)]) -> Stub {
    Stub { outcomes: outcomes.iter().cloned().collect(), ..Stub::default() }
}

fn refused(status: &str) -> Outcome {
    Outcome::Refused { status: status.to_owned(), reply: format!("550 {status} no") }
}

fn deferred() -> Outcome {
    Outcome::Deferred { reason: "greylisted".to_owned() }
}

/// A mail of a message, in its first attempt.
fn mail(route: Route, recipients: &[&str]) -> Outgoing {
    Outgoing {
        outgoing_id: id(40),
        organization_id: id(1),
        message: Some(SentMessage {
            pod_id: id(2),
            inbox_id: fixtures::inbox().inbox_id,
            thread_id: id(10),
            message_id: message_id("<sent@inboxd.example>"),
        }),
        route,
        envelope_from: address("b-1@inboxd.example"),
        recipients: recipients.iter().map(|recipient| address(recipient)).collect(),
        raw: RawMail::OfMessage,
        attempts: 1,
        created_at: NOW,
        due_at: NOW + LEASE,
    }
}

fn sent_item() -> MessageItem {
    MessageItem {
        message_id: message_id("<sent@inboxd.example>"),
        labels: ["sent"].into_iter().collect(),
        sent_by: Some(fixtures::caller().actor),
        ..fixtures::message_item()
    }
}

const RAW: &[u8] = b"Message-ID: <sent@inboxd.example>\r\nFrom: scout@inboxd.example\r\n\r\nHello\r\n";

fn world() -> World {
    let mut world = World::default();
    world.store.expect_raw_of_outgoing().returning(|_| Ok(Some(RAW.to_vec())));
    world
}

/// What an attempt left behind.
#[derive(Default)]
struct Settled {
    events: Captured<Vec<Event>>,
    suppressed: Captured<Suppression>,
    labelled: Captured<MessageItem>,
    thread: Captured<Thread>,
    left: Captured<Outgoing>,
    removed: Captured<u32>,
}

impl Settled {
    /// The kinds and bodies of the events that were appended.
    fn bodies(&self) -> Vec<(EventType, EventBody)> {
        self.events.only().into_iter().map(|event| (event.event_type, event.body)).collect()
    }
}

/// Expects an attempt to be settled whose claim still holds, for a message that is there.
fn expect_settling(tx: &mut MockTx) -> Settled {
    let settled = Settled::default();
    let seen = settled.left.clone();
    tx.outgoing.expect_defer().times(..=1).returning(move |mail| {
        seen.push(mail.clone());
        Ok(true)
    });
    let seen = settled.removed.clone();
    tx.outgoing.expect_remove().times(..=1).returning(move |_, outgoing_id, attempts| {
        assert_eq!(outgoing_id, id(40));
        seen.push(attempts);
        Ok(true)
    });
    tx.threads.expect_lock().times(..=1).returning(|_, _, _| Ok(vec![thread_of(&[sent_item()])]));
    tx.messages.expect_items().times(..=1).returning(|_, _, _| Ok(vec![sent_item()]));
    let seen = settled.labelled.clone();
    tx.messages.expect_update_labels().times(..=1).returning(move |item| {
        seen.push(item.clone());
        Ok(())
    });
    let seen = settled.thread.clone();
    tx.threads.expect_update().times(..=1).returning(move |thread| {
        seen.push(thread.clone());
        Ok(())
    });
    let seen = settled.suppressed.clone();
    tx.suppressions.expect_add().returning(move |suppression| {
        seen.push(suppression.clone());
        Ok(())
    });
    let seen = settled.events.clone();
    tx.events.expect_append().times(..=1).returning(move |events| {
        seen.push(events.to_vec());
        Ok(())
    });
    settled
}

async fn attempt(world: World, transport: &Stub, mail: &Outgoing) -> Delivered {
    attempt_delivery(&world.app(), transport, mail).await.unwrap()
}

fn delivery(recipients: &[&str]) -> (EventType, EventBody) {
    let recipients = recipients.iter().map(|recipient| (*recipient).to_owned()).collect();
    (EventType::MessageDelivered, EventBody::Delivery { recipients })
}

fn bounce(kind: &str, sub_type: &str, recipients: &[(&str, &str)]) -> (EventType, EventBody) {
    let status = |(address, status): &(&str, &str)| RecipientStatus {
        address: (*address).to_owned(),
        status: (*status).to_owned(),
    };
    let recipients = recipients.iter().map(status).collect();
    let body = EventBody::Bounce { kind: kind.to_owned(), sub_type: sub_type.to_owned(), recipients };
    (EventType::MessageBounced, body)
}

#[tokio::test]
async fn a_delivered_mail_leaves_the_queue_with_its_event_and_label() {
    let mut world = world();
    let settled = expect_settling(world.unit_of_work());
    let journal = world.journal.clone();
    let (transport, mail) = (Stub::default(), mail(Route::Remote, &["anna@example.org", "ben@example.org"]));
    let delivered = attempt(world, &transport, &mail).await;
    assert_eq!(delivered, Delivered { delivered: 2, bounced: 0, deferred: 0 });
    assert_eq!(settled.bodies(), [delivery(&["anna@example.org", "ben@example.org"])]);
    let event = settled.events.only().remove(0);
    assert_eq!((event.pod_id, event.thread_id, event.created_at), (id(2), id(10), NOW));
    assert_eq!(event.message_id, message_id("<sent@inboxd.example>"));
    assert_eq!(settled.labelled.only().labels.to_vec(), ["delivered", "sent"]);
    assert!(settled.thread.only().labels.contains("delivered"));
    assert_eq!((settled.removed.only(), settled.left.all().len()), (1, 0));
    assert_eq!(journal.commits(), 1);
    let handed_over = transport.handed_over.only();
    assert_eq!((handed_over.raw.as_slice(), handed_over.recipients), (RAW, mail.recipients));
    assert_eq!(handed_over.envelope_from, mail.envelope_from);
}

#[tokio::test]
async fn each_recipient_fares_for_itself() {
    let mut world = world();
    let settled = expect_settling(world.unit_of_work());
    let outcomes = [
        ("dead@example.org", refused("5.1.1")),
        ("full@example.org", refused("5.2.2")),
        ("grey@example.org", deferred()),
    ];
    let mail = mail(Route::Remote, &["anna@example.org", "dead@example.org", "full@example.org", "grey@example.org"]);
    let delivered = attempt(world, &transport(&outcomes), &mail).await;
    assert_eq!(delivered, Delivered { delivered: 1, bounced: 2, deferred: 1 });
    assert_eq!(
        settled.bodies(),
        [
            delivery(&["anna@example.org"]),
            bounce("Permanent", "NoEmail", &[("dead@example.org", "5.1.1")]),
            bounce("Transient", "MailboxFull", &[("full@example.org", "5.2.2")]),
        ]
    );
    assert_eq!(settled.labelled.only().labels.to_vec(), ["bounced", "delivered", "sent"]);
    let suppression = settled.suppressed.only();
    assert_eq!((suppression.address, suppression.reason), (address("dead@example.org"), SuppressionReason::Bounce));
    assert_eq!((suppression.organization_id, suppression.created_at), (id(1), NOW));
    let left = settled.left.only();
    assert_eq!(left.recipients, [address("grey@example.org")]);
    assert_eq!((left.due_at, left.attempts), (NOW + Duration::seconds(10), 1));
    assert!(settled.removed.all().is_empty());
}

#[tokio::test]
async fn refusals_that_mean_the_same_are_one_event() {
    let mut world = world();
    let settled = expect_settling(world.unit_of_work());
    let outcomes = [("a@example.org", refused("5.1.1")), ("b@example.org", refused("5.1.10"))];
    attempt(world, &transport(&outcomes), &mail(Route::Remote, &["a@example.org", "b@example.org"])).await;
    let expected = bounce("Permanent", "NoEmail", &[("a@example.org", "5.1.1"), ("b@example.org", "5.1.10")]);
    assert_eq!(settled.bodies(), [expected]);
    assert_eq!(settled.suppressed.all().len(), 2);
}

#[tokio::test]
async fn what_may_pass_suppresses_nobody() {
    for status in ["5.2.2", "5.3.4", "5.6.0", "5.7.1", "4.4.7"] {
        let mut world = world();
        let settled = expect_settling(world.unit_of_work());
        attempt(world, &transport(&[("a@example.org", refused(status))]), &mail(Route::Remote, &["a@example.org"]))
            .await;
        assert_eq!(settled.suppressed.all(), [], "{status}");
        assert_eq!(settled.events.only().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn a_mail_that_waits_says_nothing_yet() {
    let mut world = world();
    let settled = expect_settling(world.unit_of_work());
    let journal = world.journal.clone();
    let again = Outgoing { attempts: 2, ..mail(Route::Remote, &["grey@example.org"]) };
    let delivered = attempt(world, &transport(&[("grey@example.org", deferred())]), &again).await;
    assert_eq!(delivered, Delivered { delivered: 0, bounced: 0, deferred: 1 });
    assert_eq!(settled.left.only().due_at, NOW + Duration::seconds(30));
    assert_eq!(settled.bodies(), []);
    assert_eq!((settled.labelled.all().len(), journal.commits()), (0, 1));
}

#[tokio::test]
async fn after_72_hours_a_mail_that_waits_bounces_and_suppresses_nobody() {
    let mut world = world();
    let settled = expect_settling(world.unit_of_work());
    let old = Outgoing { created_at: NOW - Duration::hours(72), ..mail(Route::Remote, &["grey@example.org"]) };
    let delivered = attempt(world, &transport(&[("grey@example.org", deferred())]), &old).await;
    assert_eq!(delivered, Delivered { delivered: 0, bounced: 1, deferred: 0 });
    assert_eq!(settled.bodies(), [bounce("Transient", "General", &[("grey@example.org", "4.4.7")])]);
    assert_eq!((settled.suppressed.all(), settled.left.all()), (vec![], vec![]));
    assert_eq!(settled.removed.only(), 1);
}

#[tokio::test]
async fn an_attempt_whose_claim_was_lost_changes_nothing() {
    for outcome in [Outcome::Delivered, refused("5.1.1"), deferred()] {
        let mut world = world();
        let tx = world.unit_of_work();
        tx.outgoing.expect_remove().times(..=1).returning(|_, _, _| Ok(false));
        tx.outgoing.expect_defer().times(..=1).returning(|_| Ok(false));
        let journal = world.journal.clone();
        let delivered =
            attempt(world, &transport(&[("a@example.org", outcome)]), &mail(Route::Remote, &["a@example.org"])).await;
        assert_eq!(delivered, Delivered::default());
        assert_eq!(journal.commits(), 0);
    }
}

#[tokio::test]
async fn settling_is_tried_again_without_handing_the_mail_over_twice() {
    let mut world = world();
    expect_settling(world.unit_of_work());
    world.last_unit_of_work().commit_fails = Some(StoreError::Contention);
    expect_settling(world.unit_of_work());
    let (journal, transport) = (world.journal.clone(), Stub::default());
    attempt(world, &transport, &mail(Route::Remote, &["a@example.org"])).await;
    assert_eq!((transport.handed_over.all().len(), journal.commits()), (1, 1));
}

#[tokio::test]
async fn a_message_that_was_deleted_keeps_its_event_and_gets_no_label() {
    for thread_is_there in [false, true] {
        let mut world = world();
        let tx = world.unit_of_work();
        tx.threads
            .expect_lock()
            .once()
            .returning(move |_, _, _| Ok(if thread_is_there { vec![thread_of(&[sent_item()])] } else { Vec::new() }));
        tx.messages.expect_items().times(..=1).returning(|_, _, _| Ok(Vec::new()));
        let settled = expect_settling(tx);
        attempt(world, &Stub::default(), &mail(Route::Remote, &["a@example.org"])).await;
        assert_eq!(settled.bodies(), [delivery(&["a@example.org"])]);
        assert_eq!((settled.labelled.all().len(), settled.thread.all().len()), (0, 0));
    }
}

#[tokio::test]
async fn a_mail_whose_octets_are_gone_with_its_inbox_leaves_the_queue() {
    let mut world = World::default();
    world.store.expect_raw_of_outgoing().returning(|_| Ok(None));
    let settled = expect_settling(world.unit_of_work());
    let transport = Stub::default();
    assert_eq!(attempt(world, &transport, &mail(Route::Remote, &["a@example.org"])).await, Delivered::default());
    assert_eq!((settled.removed.only(), transport.handed_over.all()), (1, vec![]));
    assert_eq!(settled.bodies(), []);
}

#[tokio::test]
async fn a_mail_of_the_service_itself_is_opened_and_leaves_no_event() {
    let sealed = PlainVault.seal(mail(Route::Remote, &[]).outgoing_id.0.as_bytes(), b"the code").unwrap();
    for outcome in [Outcome::Delivered, refused("5.1.1")] {
        let mut world = World::default();
        let settled = expect_settling(world.unit_of_work());
        let own = Outgoing {
            message: None,
            raw: RawMail::Sealed(sealed.clone()),
            ..mail(Route::Remote, &["owner@example.org"])
        };
        let transport = transport(&[("owner@example.org", outcome)]);
        attempt(world, &transport, &own).await;
        assert_eq!(transport.handed_over.only().raw, b"the code");
        assert_eq!((settled.events.all().len(), settled.suppressed.all().len()), (0, 0));
    }
}

#[tokio::test]
async fn a_mail_that_cannot_be_opened_stays_in_the_queue() {
    let world = World::default();
    let sealed = PlainVault.seal(b"another", b"the code").unwrap();
    let own = Outgoing { message: None, raw: RawMail::Sealed(sealed), ..mail(Route::Remote, &["owner@example.org"]) };
    let failed = attempt_delivery(&world.app(), &Stub::default(), &own).await;
    assert!(matches!(failed, Err(Error::Internal(_))));
}

/// A world with the inbox `other`, where mail from within arrives or fails.
fn world_inside(failing: Option<StoreError>) -> World {
    let mut world = world();
    world.store.expect_destinations().returning(move |addresses| match &failing {
        Some(error) => Err(error.clone()),
        None => Ok(addresses
            .iter()
            .map(|address| {
                let destination = ports::Destination {
                    inbox_id: inboxd_core::model::InboxId::of(address),
                    ..fixtures::destination()
                };
                Some(destination).filter(|_| address.as_str() == "other@inboxd.example")
            })
            .collect()),
    });
    world
}

#[tokio::test]
async fn a_local_recipient_gets_the_mail_through_the_receiving_path_and_an_unknown_one_bounces() {
    let mut world = world_inside(None);
    let tx = world.unit_of_work();
    tx.inboxes.expect_hold().once().returning(|wanted| Ok(wanted.to_vec()));
    tx.messages.expect_possible_repeats().once().returning(|_, _, _| Ok(Vec::new()));
    tx.threads.expect_insert().once().returning(|_| Ok(()));
    tx.messages.expect_insert().once().returning(|new| {
        assert_eq!(new.message.item.inbox_id.as_str(), "other@inboxd.example");
        assert_eq!(new.message.item.message_id, message_id("<sent@inboxd.example>"), "our own id stays");
        assert_eq!(new.message.item.labels.to_vec(), ["received", "unread"]);
        Ok(())
    });
    tx.events.expect_append().once().returning(|events| {
        assert_eq!(events[0].event_type, EventType::MessageReceived);
        Ok(())
    });
    tx.usage.expect_change().once().returning(|_, _| Ok(()));
    let settled = expect_settling(world.unit_of_work());
    let (journal, transport) = (world.journal.clone(), Stub::default());
    let mail = mail(Route::Local, &["gone@inboxd.example", "other@inboxd.example"]);
    let delivered = attempt(world, &transport, &mail).await;
    assert_eq!(delivered, Delivered { delivered: 1, bounced: 1, deferred: 0 });
    assert_eq!(
        settled.bodies(),
        [delivery(&["other@inboxd.example"]), bounce("Permanent", "NoEmail", &[("gone@inboxd.example", "5.1.1")])]
    );
    assert_eq!(transport.handed_over.all(), [], "nothing goes outside");
    assert_eq!(journal.commits(), 2);
}

#[tokio::test]
async fn a_local_mail_that_runs_in_a_circle_bounces() {
    let mut world = World::default();
    let looped = [b"Delivered-To: other@inboxd.example\r\n", RAW].concat();
    world.store.expect_raw_of_outgoing().returning(move |_| Ok(Some(looped.clone())));
    world.store.expect_destinations().returning(|addresses| {
        let inbox_id = inboxd_core::model::InboxId::of(&addresses[0]);
        Ok(vec![Some(ports::Destination { inbox_id, ..fixtures::destination() })])
    });
    let settled = expect_settling(world.unit_of_work());
    attempt(world, &Stub::default(), &mail(Route::Local, &["other@inboxd.example"])).await;
    assert_eq!(settled.bodies(), [bounce("Transient", "MailLoop", &[("other@inboxd.example", "5.4.6")])]);
}

#[tokio::test]
async fn a_local_mail_waits_while_storage_is_away() {
    let mut world = world_inside(Some(StoreError::Unavailable("gone".to_owned())));
    let settled = expect_settling(world.unit_of_work());
    let delivered = attempt(world, &Stub::default(), &mail(Route::Local, &["other@inboxd.example"])).await;
    assert_eq!((delivered.deferred, settled.left.all().len(), settled.bodies().len()), (1, 1, 0));
}

#[tokio::test]
async fn due_mail_is_claimed_for_the_length_of_a_lease() {
    let mut world = World::default();
    world.unit_of_work().outgoing.expect_claim().once().returning(|now, lease, limit| {
        assert_eq!((now, lease, limit), (NOW, LEASE, 7));
        Ok(vec![mail(Route::Remote, &["a@example.org"])])
    });
    let journal = world.journal.clone();
    assert_eq!(claim_due_mail(&world.app(), 7).await.unwrap().len(), 1);
    assert_eq!(journal.commits(), 1);
}

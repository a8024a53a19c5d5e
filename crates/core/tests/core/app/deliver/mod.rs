mod finish;
mod inside;
mod outcomes;
mod queue;
mod signed;
mod together;

use std::collections::BTreeMap;
use std::future::ready;

use async_trait::async_trait;
use inboxd_core::app::{Delivered, LEASE, attempt_delivery, settle_delivery};
use inboxd_core::model::outgoing::SentMessage;
use inboxd_core::model::{
    ClaimedMail, DeliveryAttempt, DeliveryOutcome, Event, EventBody, EventType, MessageItem, QueuedMail, RawMail,
    RecipientStatus, Route, Suppression, Thread,
};
use inboxd_core::ports;
use inboxd_core::ports::{OutgoingMail, Recall, RecipientOutcome, StoreError, Transport};
use inboxd_core::testing::fixtures::{self, NOW, address, id, message_id};
use inboxd_core::testing::{Captured, MockTx, World};

use uuid::Uuid;

use crate::app::thread_of;

/// A transport with test-defined outcomes; all other recipients are delivered.
#[derive(Default)]
struct Stub {
    outcomes: BTreeMap<&'static str, DeliveryOutcome>,
    handed_over: Captured<OutgoingMail>,
}

#[async_trait]
impl Transport for Stub {
    async fn deliver(&self, mail: &OutgoingMail) -> Vec<RecipientOutcome> {
        self.handed_over.push(mail.clone());
        let outcome = |recipient: &inboxd_mail::EmailAddress| {
            self.outcomes.get(recipient.as_str()).cloned().unwrap_or(DeliveryOutcome::Delivered)
        };
        mail.recipients
            .iter()
            .map(|recipient| RecipientOutcome { recipient: recipient.clone(), report: outcome(recipient).into() })
            .collect()
    }
}

fn transport(outcomes: &[(&'static str, DeliveryOutcome)]) -> Stub {
    Stub { outcomes: outcomes.iter().cloned().collect(), ..Stub::default() }
}

fn refused(status: &str) -> DeliveryOutcome {
    DeliveryOutcome::Refused { status: status.to_owned(), reply: format!("550 {status} no") }
}

fn deferred() -> DeliveryOutcome {
    DeliveryOutcome::Deferred { reason: "greylisted".to_owned() }
}

/// The claim of the first attempt.
const CLAIM: Uuid = Uuid::from_u128(77);

/// A queued mail of a message in its first attempt.
pub(super) fn mail(route: Route, recipients: &[&str]) -> QueuedMail {
    QueuedMail {
        outgoing_id: id(40),
        organization_id: id(1),
        message: Some(SentMessage {
            pod_id: id(2),
            inbox_id: fixtures::inbox().inbox_id,
            thread_id: id(10),
            message_id: message_id("<sent@inboxd.example>"),
        }),
        route,
        destination: String::new(),
        envelope_from: address("b-1@inboxd.example"),
        recipients: recipients.iter().map(|recipient| address(recipient)).collect(),
        raw: RawMail::OfMessage,
        attempts: 1,
        claim_id: Some(CLAIM),
        is_delay_told: false,
        is_code: false,
        traceparent: None,
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

/// Stored effects of an attempt.
#[derive(Default)]
struct Settled {
    events: Captured<Vec<Event>>,
    suppressed: Captured<Suppression>,
    labelled: Captured<MessageItem>,
    thread: Captured<Thread>,
    left: Captured<QueuedMail>,
    logged: Captured<Vec<DeliveryAttempt>>,
    removed: Captured<ClaimedMail>,
}

impl Settled {
    /// Returns the types and bodies of the appended events.
    fn bodies(&self) -> Vec<(EventType, EventBody)> {
        self.events.all().concat().into_iter().map(|event| (event.event_type, event.body)).collect()
    }
}

/// Expects that an attempt with a valid claim is recorded for an existing message.
fn expect_settling(tx: &mut MockTx) -> Settled {
    let settled = Settled::default();
    let seen = settled.left.clone();
    tx.outgoing.expect_defer().times(..=1).returning(move |mail, _| {
        seen.push(mail.clone());
        Ok(true)
    });
    let seen = settled.removed.clone();
    tx.outgoing.expect_remove().times(..=1).returning(move |claims| {
        for claim in claims {
            assert_eq!(claim.organization_id, id(1));
            seen.push(*claim);
        }
        Ok(claims.to_vec())
    });
    let seen = settled.logged.clone();
    tx.outgoing.expect_log_attempts().times(..=1).returning(move |attempts| {
        seen.push(attempts.to_vec());
        Ok(())
    });
    tx.threads.expect_lock_across().times(..=1).returning(|_| Ok(vec![thread_of(&[sent_item()])]));
    tx.messages.expect_items().times(..=1).returning(|_, _, _| Ok(vec![sent_item()]));
    let seen = settled.labelled.clone();
    tx.messages.expect_update_labels().times(..=1).returning(move |items| {
        for item in items {
            seen.push(item.clone());
        }
        Ok(())
    });
    let seen = settled.thread.clone();
    tx.threads.expect_update().times(..=1).returning(move |threads| {
        for thread in threads {
            seen.push(thread.clone());
        }
        Ok(())
    });
    tx.return_paths.expect_lock().times(..=1).returning(|_, _| Ok(None));
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

async fn attempt(world: World, transport: &dyn Transport, mail: &QueuedMail) -> Delivered {
    let journal = world.journal.clone();
    let app = world.app();
    let outcomes = Box::pin(attempt_delivery(&app, transport, &journal, mail, None, &Recall::default())).await;
    Box::pin(settle_delivery(&app, mail, &outcomes, ready(()))).await.unwrap()
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

/// An environment with the inbox `other`, whose local delivery succeeds or fails.
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
                Some(destination.into()).filter(|_| address.as_str() == "other@inboxd.example")
            })
            .collect()),
    });
    world
}

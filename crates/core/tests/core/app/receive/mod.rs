mod addresses;
mod aggregate_reports;
mod batches;
mod lists;
mod refused;
mod repeats;
mod returned;
mod stored;
mod threads;

use inboxd_core::app::{IncomingMail, Place, Recipient};
use inboxd_core::model::{Event, InboxId, NewMessage, OrganizationId, Thread, UsageChange};
use inboxd_core::ports::{Destination, KnownMessage, OnArrival, RecipientRoute, StoreError};
use inboxd_core::testing::fixtures::{NOW, address, id, inbox_id, message_id};
use inboxd_core::testing::{Captured, MockTx, World};
use inboxd_mail::EmailAddress;

/// Targets of inbox addresses: scout, scouts and other in one organization, and far in another one.
fn destination_of(recipient: &EmailAddress) -> Option<RecipientRoute> {
    let destination = |name: &str, organization: u128| Destination {
        organization_id: id(organization),
        pod_id: id(organization + 1),
        inbox_id: inbox_id(name),
    };
    match recipient.without_tag().as_str() {
        name @ ("scout@inboxd.example" | "scouts@inboxd.example" | "other@inboxd.example") => {
            Some(destination(name, 1).into())
        }
        name @ "far@inboxd.example" => Some(destination(name, 100).into()),
        _ => None,
    }
}

/// An environment with these inboxes.
fn world() -> World {
    let mut world = World::default();
    world.store.expect_destinations().returning(|addresses| Ok(addresses.iter().map(destination_of).collect()));
    world
}

fn raw(fields: &[(&str, &str)]) -> Vec<u8> {
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("{}From: Anna <anna@example.org>\r\nSubject: A Question\r\n\r\nShall we?\r\n", fields.concat()).into_bytes()
}

fn to_inbox(recipient: &str) -> Recipient {
    let address = address(recipient);
    let place = Place::Inbox(destination_of(&address).unwrap().destination);
    Recipient { address, place }
}

fn incoming(recipients: &[&str], raw: Vec<u8>) -> IncomingMail {
    IncomingMail {
        envelope_from: Some(address("anna@example.org")),
        recipients: recipients.iter().map(|recipient| to_inbox(recipient)).collect(),
        raw,
        client: None,
    }
}

const FRESH: &[(&str, &str)] = &[("Message-ID", "<fresh@example.org>"), ("To", "Scout <scout+tag@inboxd.example>")];

type UsageChanges = Vec<(OrganizationId, InboxId, UsageChange)>;

/// Effects stored by one unit of work.
#[derive(Default)]
struct Stored {
    messages: Captured<NewMessage>,
    begun: Captured<Thread>,
    joined: Captured<Thread>,
    events: Captured<Vec<Event>>,
    usage: Captured<UsageChanges>,
}

/// Expects a unit of work that may store messages and has these existing inboxes.
fn expect_storing(tx: &mut MockTx, known: Vec<KnownMessage>) -> Stored {
    expect_storing_on(tx, OnArrival { known, ..OnArrival::default() })
}

/// The same with these lookup results; every inbox exists.
fn expect_storing_on(tx: &mut MockTx, found: OnArrival) -> Stored {
    tx.inbound
        .expect_look_up()
        .once()
        .returning(move |query| Ok(OnArrival { held: query.inboxes.clone(), ..found.clone() }));
    capture(tx)
}

/// Captures the stored effects.
fn capture(tx: &mut MockTx) -> Stored {
    let stored = Stored::default();
    let Stored { messages, begun, joined, events, usage } = &stored;
    let (messages, begun, joined) = (messages.clone(), begun.clone(), joined.clone());
    let (events, usage) = (events.clone(), usage.clone());
    tx.mail.expect_insert().times(..=1).returning(move |new| {
        new.messages.iter().for_each(|message| messages.push(message.clone()));
        new.begun.iter().for_each(|thread| begun.push(thread.clone()));
        new.joined.iter().for_each(|thread| joined.push(thread.clone()));
        events.push(new.events.clone());
        usage.push(new.usage.clone());
        Ok(())
    });
    stored
}

/// A message of scout with the id of [`FRESH`].
fn known(digest: Option<[u8; 32]>) -> KnownMessage {
    KnownMessage {
        inbox_id: inbox_id("scout@inboxd.example"),
        message_id: message_id("<fresh@example.org>"),
        header_message_id: None,
        thread_id: id(10),
        digest,
        was_sent: digest.is_none(),
        timestamp: NOW,
    }
}

const ANSWER: &[(&str, &str)] = &[
    ("Message-ID", "<answer@example.org>"),
    ("References", "<oldest@example.org> <newest@example.org>"),
    ("In-Reply-To", "<question@example.org>"),
];

/// A unit of work in which the storage fails.
fn expect_failing(world: &mut World, error: StoreError) {
    let tx = world.unit_of_work();
    tx.mail.expect_insert().once().return_once(move |_| Err(error));
    expect_storing(tx, Vec::new());
}

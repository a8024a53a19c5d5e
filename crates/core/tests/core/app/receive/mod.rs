mod lists;
mod refused;
mod repeats;
mod returned;
mod stored;
mod threads;

use inboxd_core::app::IncomingMail;
use inboxd_core::model::{Event, InboxId, NewMessage, OrganizationId, Thread, UsageChange};
use inboxd_core::ports::{Destination, PossibleRepeat, StoreError};
use inboxd_core::testing::fixtures::{address, id, inbox_id};
use inboxd_core::testing::{Captured, MockTx, World};

/// A world with three inboxes, without lists: scout and other of one organization, far of another.
fn world() -> World {
    let mut world = listing_world();
    world.store.expect_excerpts_of_lists().returning(|_| Ok(Vec::new()));
    world
}

/// The same, with whatever lists the test prepares.
fn listing_world() -> World {
    let mut world = World::default();
    world.store.expect_destinations().returning(|addresses| {
        let destination = |name: &str, organization: u128| Destination {
            organization_id: id(organization),
            pod_id: id(organization + 1),
            inbox_id: inbox_id(name),
        };
        let found = addresses.iter().map(|address| match address.without_tag().as_str() {
            name @ ("scout@inboxd.example" | "other@inboxd.example") => Some(destination(name, 1)),
            name @ "far@inboxd.example" => Some(destination(name, 100)),
            _ => None,
        });
        Ok(found.collect())
    });
    world
}

fn raw(fields: &[(&str, &str)]) -> Vec<u8> {
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("{}From: Anna <anna@example.org>\r\nSubject: A Question\r\n\r\nShall we?\r\n", fields.concat()).into_bytes()
}

fn incoming(recipients: &[&str], raw: Vec<u8>) -> IncomingMail {
    IncomingMail {
        envelope_from: Some(address("anna@example.org")),
        recipients: recipients.iter().map(|recipient| address(recipient)).collect(),
        raw,
        client: None,
    }
}

const FRESH: &[(&str, &str)] = &[("Message-ID", "<fresh@example.org>"), ("To", "Scout <scout+tag@inboxd.example>")];

type UsageChanges = (OrganizationId, Vec<(InboxId, UsageChange)>);

/// What one unit of work stored.
#[derive(Default)]
struct Stored {
    messages: Captured<NewMessage>,
    begun: Captured<Thread>,
    joined: Captured<Thread>,
    events: Captured<Vec<Event>>,
    usage: Captured<UsageChanges>,
}

/// Expects a unit of work that may store messages and finds these live ones with the same Message-ID.
fn expect_storing(tx: &mut MockTx, known: Vec<PossibleRepeat>) -> Stored {
    let stored = Stored::default();
    tx.inboxes.expect_hold().once().returning(|wanted| Ok(wanted.to_vec()));
    tx.messages.expect_possible_repeats().returning(move |_, _, _| Ok(known.clone()));
    let seen = stored.messages.clone();
    tx.messages.expect_insert().returning(move |message| {
        seen.push(message.clone());
        Ok(())
    });
    let seen = stored.begun.clone();
    tx.threads.expect_insert().returning(move |thread| {
        seen.push(thread.clone());
        Ok(())
    });
    let seen = stored.joined.clone();
    tx.threads.expect_update().returning(move |thread| {
        seen.push(thread.clone());
        Ok(())
    });
    let seen = stored.events.clone();
    tx.events.expect_append().times(..=1).returning(move |events| {
        seen.push(events.to_vec());
        Ok(())
    });
    let seen = stored.usage.clone();
    tx.usage.expect_change().returning(move |organization_id, changes| {
        seen.push((organization_id, changes.to_vec()));
        Ok(())
    });
    stored
}

const ANSWER: &[(&str, &str)] = &[
    ("Message-ID", "<answer@example.org>"),
    ("References", "<oldest@example.org> <newest@example.org>"),
    ("In-Reply-To", "<question@example.org>"),
];

/// A unit of work in which storing the message fails.
fn expect_failing(world: &mut World, error: StoreError) {
    let tx = world.unit_of_work();
    tx.messages.expect_insert().once().return_once(move |_| Err(error));
    expect_storing(tx, Vec::new());
}

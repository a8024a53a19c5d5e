//! Checks after the load: everything is stored and sent once.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use inboxd_testkit::{Persona, database, eventually_ok};

use super::load::{ConfirmedWork, EVENTS, Load};
use crate::support::read_pages;

/// Maximum time between the 250 of the relay and its processing, also on a busy machine. A kill within this time can
/// repeat a delivery.
const UNREAD: Duration = Duration::from_millis(500);

/// Waits until all work is done and requires that each item exists once.
pub(super) async fn check(mut load: Load, database: &str) {
    let told = load.end().await;
    wait_until_idle(database).await;
    let Load { relay, agent, inside, kills, .. } = &load;
    let sent = read_pages(agent, &agent.inbox("/messages?labels=sent&limit=200"), "messages", "subject").await;
    let received = read_pages(agent, &agent.inbox("/messages?labels=received&limit=200"), "messages", "subject").await;
    let copies = read_pages(agent, &format!("/v0/inboxes/{inside}/messages?limit=200"), "messages", "subject").await;
    let ConfirmedWork { received: taken, sent: accepted, drafts } = told;

    // Every mail with a 250 reply is stored once.
    assert_eq!(require_unique("received", &received), taken.iter().map(String::as_str).collect());
    // Every send with a 200 response and every draft is sent once. A send without a response may be missing.
    let sent = require_unique("sent", &sent);
    let lost: Vec<_> = accepted.iter().chain(&drafts).filter(|subject| !sent.contains(subject.as_str())).collect();
    assert!(lost.is_empty(), "accepted but not sent: {lost:?}");
    let letters: BTreeSet<&str> = sent.iter().copied().filter(|subject| !subject.starts_with("draft-")).collect();
    assert_eq!(require_unique("stored inside", &copies), letters);
    check_relay(&load, &sent, kills);
    assert!(relay.mails().len() >= sent.len());
    check_events(agent, inside).await;
    check_webhook(&load, database).await;
    load.server.terminate().await;
}

/// Waits until no message is queued and no draft is scheduled.
async fn wait_until_idle(url: &str) {
    let work = "DO $$ DECLARE found text; BEGIN \
        SELECT string_agg(w::text, '; ') INTO found FROM (SELECT outgoing_id, route, attempts, due_at FROM outgoing \
            UNION ALL SELECT draft_id, subject, revision, due_at FROM drafts) w; \
        IF found <> '' THEN RAISE EXCEPTION '%', found; END IF; END $$";
    eventually_ok("all work is done", async || database::try_execute(url, work).await).await;
}

/// Returns the words; requires that each occurs once.
#[track_caller]
fn require_unique<'a>(what: &str, words: &'a [String]) -> BTreeSet<&'a str> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for word in words {
        *times.entry(word).or_default() += 1;
    }
    let twice: Vec<_> = times.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "{what} more than once: {twice:?}");
    times.into_keys().collect()
}

/// Requires that the relay confirmed every mail, and repeated none whose confirmation was read.
fn check_relay(load: &Load, sent: &BTreeSet<&str>, kills: &[Instant]) {
    let mut confirmed: BTreeMap<String, Vec<Instant>> = BTreeMap::new();
    for entry in load.relay.confirmed() {
        confirmed.entry(entry.mail.header("Subject")).or_default().push(entry.at);
    }
    for subject in sent {
        let times = confirmed.get(*subject);
        let Some((_, earlier)) = times.and_then(|times| times.split_last()) else {
            panic!("{subject} was never confirmed");
        };
        for at in earlier {
            let was_unread = kills.iter().any(|kill| *at + UNREAD > *kill && *at < *kill + UNREAD);
            assert!(was_unread, "{subject} was sent again {:?} after it was confirmed", at.elapsed());
        }
    }
}

/// Requires that every message has each of its events once.
async fn check_events(agent: &Persona, inside: &str) {
    let ids = async |inbox: &str, label: &str| {
        let target = format!("/v0/inboxes/{inbox}/messages?labels={label}&limit=200");
        read_pages(agent, &target, "messages", "message_id").await
    };
    let of = async |event_type: &str| {
        let mut ids =
            read_pages(agent, &format!("/v0/events?event_types={event_type}&limit=200"), "events", "message_id").await;
        ids.sort();
        ids
    };
    let (sent, came, copies) =
        (ids(&agent.inbox_id, "sent").await, ids(&agent.inbox_id, "received").await, ids(inside, "received").await);
    let sorted = |mut ids: Vec<String>| {
        ids.sort();
        ids
    };
    assert_eq!(of("message.received").await, sorted([came, copies.clone()].concat()));
    assert_eq!(of("message.sent").await, sorted(sent.clone()));
    // A local copy has the id of the sent message. Each route reports its recipients separately.
    assert_eq!(of("message.delivered").await, sorted([sent, copies].concat()));
}

/// Requires that the webhook received every event. A repeated event has the same id.
async fn check_webhook(load: &Load, database: &str) {
    let types = EVENTS.map(|event_type| format!("event_types={event_type}")).join("&");
    let events = read_pages(&load.agent, &format!("/v0/events?limit=200&{types}"), "events", "event_id").await;
    // Deliveries claimed by a dead worker are claimed again after a minute; the test does not wait for that.
    let sooner = "UPDATE webhook_deliveries SET due_at = now() WHERE claim_id IS NOT NULL";
    database::try_execute(database, sooner).await.unwrap();
    eventually_ok("every event is delivered", async || {
        let told: BTreeSet<String> =
            load.receiver.requests().iter().map(|told| told.header("webhook-id").to_owned()).collect();
        let missing: Vec<_> = events.iter().filter(|event_id| !told.contains(*event_id)).collect();
        if missing.is_empty() { Ok(()) } else { Err(format!("{} of {}: {missing:?}", missing.len(), events.len())) }
    })
    .await;
}

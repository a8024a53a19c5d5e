//! What became of the work, when everything has come to rest by itself.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use inboxd_testkit::{Persona, database, eventually_ok};

use super::load::{EVENTS, Load, Told};
use crate::support::walk;

/// A mail goes out twice when its process was killed between the relay's 250 and its own look at it. So long a time is more
/// than that look takes, also where others keep the machine busy.
const UNREAD: Duration = Duration::from_millis(500);

/// Waits until all is done, and checks that all of it is there, and there once.
pub(super) async fn check(mut load: Load, database: &str) {
    let told = load.end().await;
    at_rest(database).await;
    let Load { relay, agent, inside, kills, .. } = &load;
    let sent = walk(agent, &agent.inbox("/messages?labels=sent&limit=200"), "messages", "subject").await;
    let received = walk(agent, &agent.inbox("/messages?labels=received&limit=200"), "messages", "subject").await;
    let copies = walk(agent, &format!("/v0/inboxes/{inside}/messages?limit=200"), "messages", "subject").await;
    let Told { received: taken, sent: accepted, drafts } = told;

    // Every mail that was answered 250 is there once.
    assert_eq!(once("received", &received), taken.iter().map(String::as_str).collect());
    // Every send that was answered 200 is there once, and so is every draft. One without an answer may be there or not.
    let sent = once("sent", &sent);
    let lost: Vec<_> = accepted.iter().chain(&drafts).filter(|subject| !sent.contains(subject.as_str())).collect();
    assert!(lost.is_empty(), "accepted and not sent: {lost:?}");
    let letters: BTreeSet<&str> = sent.iter().copied().filter(|subject| !subject.starts_with("draft-")).collect();
    assert_eq!(once("stored inside", &copies), letters);
    at_the_relay(&load, &sent, kills);
    assert!(relay.mails().len() >= sent.len());
    events(agent, inside).await;
    events_told(&load, database).await;
    load.server.terminate().await;
}

/// Waits until nothing is queued, and no draft waits for its time.
async fn at_rest(url: &str) {
    let work = "DO $$ DECLARE found text; BEGIN \
        SELECT string_agg(w::text, '; ') INTO found FROM (SELECT outgoing_id, route, attempts, due_at FROM outgoing \
            UNION ALL SELECT draft_id, subject, revision, due_at FROM drafts) w; \
        IF found <> '' THEN RAISE EXCEPTION '%', found; END IF; END $$";
    eventually_ok("all work is done", async || database::try_execute(url, work).await).await;
}

/// The words, each of which stands there once.
#[track_caller]
fn once<'a>(what: &str, words: &'a [String]) -> BTreeSet<&'a str> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for word in words {
        *times.entry(word).or_default() += 1;
    }
    let twice: Vec<_> = times.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "{what} more than once: {twice:?}");
    times.into_keys().collect()
}

/// Every mail was confirmed by the relay, and none was sent again whose confirmation can have been read.
fn at_the_relay(load: &Load, sent: &BTreeSet<&str>, kills: &[Instant]) {
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

/// Every message has its events, each once.
async fn events(agent: &Persona, inside: &str) {
    let ids = async |inbox: &str, label: &str| {
        let target = format!("/v0/inboxes/{inbox}/messages?labels={label}&limit=200");
        walk(agent, &target, "messages", "message_id").await
    };
    let of = async |event_type: &str| {
        let mut ids =
            walk(agent, &format!("/v0/events?event_types={event_type}&limit=200"), "events", "message_id").await;
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
    // A copy has the id of what was sent. Each way out tells of its own recipients.
    assert_eq!(of("message.delivered").await, sorted([sent, copies].concat()));
}

/// The webhook was told of every event. It may have been told of one twice, and knows that by the id.
async fn events_told(load: &Load, database: &str) {
    let types = EVENTS.map(|event_type| format!("event_types={event_type}")).join("&");
    let events = walk(&load.agent, &format!("/v0/events?limit=200&{types}"), "events", "event_id").await;
    // What a worker that died had in its hands is claimed anew after a minute; a test need not wait for that.
    let sooner = "UPDATE webhook_deliveries SET due_at = now() WHERE claim_id IS NOT NULL";
    database::try_execute(database, sooner).await.unwrap();
    eventually_ok("every event is told", async || {
        let told: BTreeSet<String> =
            load.receiver.told().iter().map(|told| told.header("webhook-id").to_owned()).collect();
        let missing: Vec<_> = events.iter().filter(|event_id| !told.contains(*event_id)).collect();
        if missing.is_empty() { Ok(()) } else { Err(format!("{} of {}: {missing:?}", missing.len(), events.len())) }
    })
    .await;
}

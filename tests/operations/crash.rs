//! `kill -9` during inbound mail: each mail with a 250 reply is stored once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use inboxd_testkit::{Persona, SmtpClient};
use tokio::task::JoinSet;

use crate::support::{mail_to, options, read_pages};

fn mail(agent: &Persona, subject: &str) -> Vec<u8> {
    mail_to(agent, subject).id(&format!("<{subject}@outside.example>")).raw()
}

/// Delivers mails until the server stops, and returns the subjects with a 250 reply.
async fn deliver_until_stop(address: String, agent: Persona, prefix: String, taken: Arc<AtomicUsize>) -> Vec<String> {
    let mut answered = Vec::new();
    let mut client = SmtpClient::connect(&address).await;
    client.ehlo().await;
    for number in 0.. {
        let subject = format!("{prefix}-{number}");
        let reply = client.deliver("alice@outside.example", &[&agent.inbox_id], &mail(&agent, &subject)).await;
        if reply.code != 250 {
            break;
        }
        answered.push(subject);
        taken.fetch_add(1, Ordering::Relaxed);
    }
    answered
}

#[tokio::test]
async fn mail_replied_250_survives_kill_once() {
    let mut server = options().embedded_database().start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let mut answered = BTreeSet::new();
    for round in 0..2 {
        let taken = Arc::new(AtomicUsize::new(0));
        let mut streams = JoinSet::new();
        for connection in 0..6 {
            let (address, prefix) = (server.smtp_address().to_owned(), format!("{round}-{connection}"));
            streams.spawn(deliver_until_stop(address, agent.clone(), prefix, Arc::clone(&taken)));
        }
        let target = 30 + round * 37;
        while taken.load(Ordering::Relaxed) < target {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        server.kill().await;
        answered.extend(streams.join_all().await.into_iter().flatten());
        server.restart().await;
    }
    let agent = agent.at(&server);
    let listed = read_pages(&agent, &agent.inbox("/messages?limit=200"), "messages", "subject").await;
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for subject in &listed {
        *times.entry(subject).or_default() += 1;
    }
    let lost: Vec<_> = answered.iter().filter(|subject| !times.contains_key(subject.as_str())).collect();
    assert!(lost.is_empty(), "250 reply, but lost: {lost:?}");
    let twice: Vec<_> = times.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "stored twice: {twice:?}");
    assert!(answered.len() >= 90, "only {} have a 250 reply", answered.len());

    // Each mail has its event and thread, and the totals are right.
    let events = read_pages(&agent, "/v0/events?limit=200&event_types=message.received", "events", "message_id").await;
    assert_eq!(events.len(), listed.len());
    let threads = read_pages(&agent, &agent.inbox("/threads?limit=200"), "threads", "thread_id").await;
    assert_eq!(threads.len(), listed.len());

    // A client without a reply sends again, without a second copy.
    let again = &listed[0];
    server.deliver("alice@outside.example", &[&agent.inbox_id], mail(&agent, again)).await.require_code(250, "2");
    assert_eq!(
        read_pages(&agent, &agent.inbox("/messages?limit=200"), "messages", "subject").await.len(),
        listed.len()
    );
    server.terminate().await;
}

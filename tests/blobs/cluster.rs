//! Load on a store of several nodes, one of which is killed.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use inboxd_testkit::{MailBuilder, SeaweedCluster, SmtpClient, eventually};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::{content, raw};
use crate::support::{options, read_pages};

/// Concurrent senders, and mails of each that are confirmed after the loss of a node.
const SENDERS: usize = 4;
const MAILS: usize = 6;
/// Mails that are stored before the loss of a node.
const MAILS_BEFORE: usize = 12;
/// Time for the mails after the loss of a node.
const LIMIT: Duration = Duration::from_secs(8);

fn mail(to: &str, name: &str) -> MailBuilder {
    let attached = content(80_000);
    MailBuilder::new("Alice <alice@outside.example>", to, name, name).id(&format!("<{name}@outside.example>")).attach(
        "a.bin",
        "application/octet-stream",
        &attached,
    )
}

#[tokio::test]
async fn confirmed_mail_is_complete_after_a_node_is_killed() {
    let mut cluster = SeaweedCluster::start().await;
    let server = cluster.settings().into_iter().fold(options(), |options, (name, value)| options.set(name, value));
    let server = server.start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let (smtp, to) = (server.smtp_address().to_owned(), agent.inbox_id.clone());
    // Set when a node has been killed.
    let deadline = Arc::new(OnceLock::<Instant>::new());
    let mut senders = JoinSet::new();
    for sender in 0..SENDERS {
        let (smtp, to, deadline) = (smtp.clone(), to.clone(), Arc::clone(&deadline));
        senders.spawn(async move {
            let mut client = SmtpClient::connect(&smtp).await;
            client.ehlo().await;
            let (mut confirmed, mut after) = (Vec::new(), 0);
            for number in 0.. {
                let end = deadline.get();
                if after == MAILS || end.is_some_and(|end| *end < Instant::now()) {
                    break;
                }
                let name = format!("mail-{sender}-{number}");
                let reply = client.deliver("alice@outside.example", &[&to], &mail(&to, &name).raw()).await;
                assert!([250, 451].contains(&reply.code), "{reply:?}");
                if reply.code == 250 {
                    confirmed.push(name);
                    after += usize::from(end.is_some());
                } else {
                    sleep(Duration::from_millis(500)).await;
                }
            }
            (confirmed, after)
        });
    }
    eventually("mail is stored", async || {
        let stored = read_pages(&agent, &agent.inbox("/messages?limit=200"), "messages", "subject").await;
        (stored.len() >= MAILS_BEFORE).then_some(())
    })
    .await;
    cluster.kill_volume().await;
    deadline.set(Instant::now() + LIMIT).unwrap();
    let (confirmed, after): (Vec<_>, Vec<usize>) = senders.join_all().await.into_iter().unzip();
    assert!(after.iter().all(|after| *after > 0), "confirmed after the loss: {after:?}");
    for name in confirmed.iter().flatten() {
        let id = format!("<{name}@outside.example>").into();
        let source = raw(&agent, &id).await;
        assert_eq!(source.status, 200, "{name}");
        assert!(source.body.ends_with(&mail(&to, name).raw()), "{name}");
    }

    cluster.kill_volume().await;
    cluster.kill_volume().await;
    let small = MailBuilder::new("Alice <alice@outside.example>", &to, "small", "small").id("<small@outside.example>");
    for (mail, code) in [(mail(&to, "large"), 451), (small, 250)] {
        let reply = server.deliver("alice@outside.example", &[&to], mail.raw()).await;
        assert_eq!(reply.code, code, "{reply:?}");
    }
}

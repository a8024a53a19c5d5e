//! Connections that wait for the next mail.

use std::time::Duration;

use super::peer::{Act, Peer, Setup};
use super::{deliver, mail, options, relay_to};
use crate::relay::Relay;

const RAW: &[u8] = b"hi\r\n";

#[tokio::test]
async fn the_next_mail_goes_over_the_same_connection() {
    let peer = Peer::usual().await;
    let relay = relay_to(&peer);
    for _ in 0..3 {
        assert_eq!(deliver(&relay, &mail(&["a@out.example"], RAW)).await, ["delivered"]);
    }
    assert_eq!(peer.connections(), 1);
    let heard = peer.heard(0);
    assert_eq!(heard.iter().filter(|line| line.starts_with("EHLO")).count(), 1);
    assert!(!heard.iter().any(|line| line == "RSET"), "it lives, and has forgotten the mail before: {heard:?}");
}

#[tokio::test]
async fn a_connection_that_has_waited_or_whose_mail_was_not_taken_is_asked_first() {
    let peer = Peer::usual().await;
    let relay = checking(&peer);
    for _ in 0..3 {
        assert_eq!(deliver(&relay, &mail(&["a@out.example"], RAW)).await, ["delivered"]);
    }
    assert_eq!((peer.connections(), resets(&peer)), (1, 2));

    let script = |_: usize, line: &str| if line.contains("no@") { Act::Say("550 5.1.1 no") } else { Act::Usual };
    let peer = Peer::start(Setup::default(), script).await;
    let relay = relay_to(&peer);
    assert_eq!(deliver(&relay, &mail(&["no@out.example"], RAW)).await, ["refused 5.1.1 550 5.1.1 no"]);
    assert_eq!(deliver(&relay, &mail(&["a@out.example"], RAW)).await, ["delivered"]);
    assert_eq!((peer.connections(), resets(&peer)), (1, 1));
}

/// A relay that trusts no connection without having asked it.
fn checking(peer: &Peer) -> Relay {
    let mut options = options(&format!("smtp://{}", peer.address));
    options.timeouts.fresh = Duration::ZERO;
    Relay::new(options).unwrap()
}

fn resets(peer: &Peer) -> usize {
    peer.heard(0).iter().filter(|line| *line == "RSET").count()
}

#[tokio::test]
async fn a_refused_mail_leaves_the_connection_in_step() {
    for (extensions, stage) in [
        (&["PIPELINING"] as &'static [&str], "MAIL"),
        (&[], "MAIL"),
        (&["PIPELINING"], "RCPT"),
        (&["PIPELINING"], "DATA"),
        (&[], "DATA"),
        (&[], "."),
    ] {
        let peer = Peer::start(Setup { extensions, ..Setup::default() }, {
            let refused = std::sync::atomic::AtomicBool::new(false);
            move |_, line| {
                if line.starts_with(stage) && !refused.swap(true, std::sync::atomic::Ordering::SeqCst) {
                    return Act::Say("550 5.7.1 no");
                }
                Act::Usual
            }
        })
        .await;
        let relay = relay_to(&peer);
        assert_eq!(deliver(&relay, &mail(&["a@out.example"], RAW)).await, ["refused 5.7.1 550 5.7.1 no"], "{stage}");
        assert_eq!(deliver(&relay, &mail(&["a@out.example"], RAW)).await, ["delivered"], "{stage}");
        assert_eq!(peer.connections(), 1, "{stage}");
    }
}

#[tokio::test]
async fn a_dead_connection_is_replaced_and_the_mail_is_sent_once() {
    // It dies at the check, at MAIL, or says 421 to MAIL; each only on the second mail of the first connection.
    for (stage, act) in [("RSET", "close"), ("RSET", "421"), ("MAIL", "close"), ("MAIL", "421")] {
        let peer = Peer::start(Setup::default(), {
            let count = std::sync::atomic::AtomicUsize::new(0);
            move |connection, line| {
                if connection > 0 || !line.starts_with(stage) {
                    return Act::Usual;
                }
                let first = count.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0;
                match (first && stage == "MAIL", act) {
                    (true, _) => Act::Usual,
                    (false, "421") => Act::SayAndClose("421 4.4.2 you were gone for long"),
                    (false, _) => Act::Close,
                }
            }
        })
        .await;
        let relay = if stage == "RSET" { checking(&peer) } else { relay_to(&peer) };
        for _ in 0..2 {
            assert_eq!(deliver(&relay, &mail(&["a@out.example"], RAW)).await, ["delivered"], "{stage} {act}");
        }
        assert_eq!(peer.connections(), 2, "{stage} {act}");
        let contents = [peer.heard(0), peer.heard(1)].concat().iter().filter(|line| *line == "hi\r\n.\r\n").count();
        assert_eq!(contents, 2, "{stage} {act}");
    }
}

#[tokio::test]
async fn after_mail_was_answered_nothing_is_tried_twice() {
    let peer = Peer::start(Setup::default(), {
        let mails = std::sync::atomic::AtomicUsize::new(0);
        move |_, line| {
            if line == "." && mails.fetch_add(1, std::sync::atomic::Ordering::SeqCst) > 0 {
                Act::Close
            } else {
                Act::Usual
            }
        }
    })
    .await;
    let relay = relay_to(&peer);
    assert_eq!(deliver(&relay, &mail(&["a@out.example"], RAW)).await, ["delivered"]);
    let outcomes = deliver(&relay, &mail(&["a@out.example"], RAW)).await;
    assert_eq!(outcomes, ["deferred the connection to the relay broke at the mail"]);
    assert_eq!(peer.connections(), 1);
}

#[tokio::test]
async fn connections_do_not_wait_for_ever() {
    let peer = Peer::usual().await;
    let mut options = options(&format!("smtp://{}", peer.address));
    options.idle_for = Duration::from_millis(50);
    let relay = Relay::new(options).unwrap();
    deliver(&relay, &mail(&["a@out.example"], RAW)).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    deliver(&relay, &mail(&["a@out.example"], RAW)).await;
    assert_eq!(peer.connections(), 2);
}

#[tokio::test]
async fn only_so_many_connections_wait() {
    let peer = Peer::usual().await;
    let mut options = options(&format!("smtp://{}", peer.address));
    options.max_idle = 0;
    let relay = Relay::new(options).unwrap();
    for _ in 0..3 {
        deliver(&relay, &mail(&["a@out.example"], RAW)).await;
    }
    assert_eq!(peer.connections(), 3);
}

#[tokio::test]
async fn a_connection_is_left_after_a_hundred_mails() {
    let peer = Peer::usual().await;
    let relay = relay_to(&peer);
    for _ in 0..101 {
        assert_eq!(deliver(&relay, &mail(&["a@out.example"], RAW)).await, ["delivered"]);
    }
    assert_eq!(peer.connections(), 2);
    assert_eq!(peer.heard(0).last().unwrap(), "QUIT");
}

#[tokio::test]
async fn mails_at_once_each_have_a_connection() {
    let peer = Peer::usual().await;
    let relay = std::sync::Arc::new(relay_to(&peer));
    let mut tasks = Vec::new();
    for number in 0..10 {
        let relay = std::sync::Arc::clone(&relay);
        tasks.push(tokio::spawn(
            async move { deliver(&*relay, &mail(&[&format!("r{number}@out.example")], RAW)).await },
        ));
    }
    for task in tasks {
        assert_eq!(task.await.unwrap(), ["delivered"]);
    }
}

//! Connection reuse.

use std::time::Duration;

use super::{deliver, mail, options, relay_to};
use crate::client::stub_server::{StubAction, StubServer, StubSetup};
use crate::relay::RelayTransport;

const RAW: &[u8] = b"hi\r\n";

#[tokio::test]
async fn next_message_reuses_relay_connection() {
    let peer = StubServer::usual().await;
    let relay = relay_to(&peer);
    for _ in 0..3 {
        assert_eq!(deliver(&relay, &mail(&["a@out.example"], RAW)).await, ["delivered"]);
    }
    assert_eq!(peer.connections(), 1);
    let received = peer.received(0);
    assert_eq!(received.iter().filter(|line| line.starts_with("EHLO")).count(), 1);
    assert!(!received.iter().any(|line| line == "RSET"), "no liveness check after an accepted message: {received:?}");
}

#[tokio::test]
async fn idle_connection_is_checked_unless_just_accepted() {
    let peer = StubServer::usual().await;
    let relay = checking(&peer);
    for _ in 0..3 {
        assert_eq!(deliver(&relay, &mail(&["a@out.example"], RAW)).await, ["delivered"]);
    }
    assert_eq!((peer.connections(), resets(&peer)), (1, 2));

    let script =
        |_: usize, line: &str| if line.contains("no@") { StubAction::Say("550 5.1.1 no") } else { StubAction::Usual };
    let peer = StubServer::start(StubSetup::default(), script).await;
    let relay = relay_to(&peer);
    assert_eq!(deliver(&relay, &mail(&["no@out.example"], RAW)).await, ["refused 5.1.1 550 5.1.1 no"]);
    assert_eq!(deliver(&relay, &mail(&["a@out.example"], RAW)).await, ["delivered"]);
    assert_eq!((peer.connections(), resets(&peer)), (1, 1));
}

/// Returns a transport that checks every idle connection.
fn checking(peer: &StubServer) -> RelayTransport {
    let mut options = options(&format!("smtp://{}", peer.address));
    options.timeouts.liveness_ttl = Duration::ZERO;
    RelayTransport::new(options).unwrap()
}

fn resets(peer: &StubServer) -> usize {
    peer.received(0).iter().filter(|line| *line == "RSET").count()
}

#[tokio::test]
async fn connection_is_reusable_after_refusal() {
    for (extensions, stage) in [
        (&["PIPELINING"] as &'static [&str], "MAIL"),
        (&[], "MAIL"),
        (&["PIPELINING"], "RCPT"),
        (&["PIPELINING"], "DATA"),
        (&[], "DATA"),
        (&[], "."),
    ] {
        let peer = StubServer::start(StubSetup { extensions, ..StubSetup::default() }, {
            let refused = std::sync::atomic::AtomicBool::new(false);
            move |_, line| {
                if line.starts_with(stage) && !refused.swap(true, std::sync::atomic::Ordering::SeqCst) {
                    return StubAction::Say("550 5.7.1 no");
                }
                StubAction::Usual
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
async fn closed_connection_is_replaced_without_duplicate() {
    // The first connection fails at the check or at MAIL, and only for the second message.
    for (stage, act) in [("RSET", "close"), ("RSET", "421"), ("MAIL", "close"), ("MAIL", "421")] {
        let peer = StubServer::start(StubSetup::default(), {
            let count = std::sync::atomic::AtomicUsize::new(0);
            move |connection, line| {
                if connection > 0 || !line.starts_with(stage) {
                    return StubAction::Usual;
                }
                let first = count.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0;
                match (first && stage == "MAIL", act) {
                    (true, _) => StubAction::Usual,
                    (false, "421") => StubAction::SayAndClose("421 4.4.2 you were gone for long"),
                    (false, _) => StubAction::Close,
                }
            }
        })
        .await;
        let relay = if stage == "RSET" { checking(&peer) } else { relay_to(&peer) };
        for _ in 0..2 {
            assert_eq!(deliver(&relay, &mail(&["a@out.example"], RAW)).await, ["delivered"], "{stage} {act}");
        }
        assert_eq!(peer.connections(), 2, "{stage} {act}");
        let contents =
            [peer.received(0), peer.received(1)].concat().iter().filter(|line| *line == "hi\r\n.\r\n").count();
        assert_eq!(contents, 2, "{stage} {act}");
    }
}

#[tokio::test]
async fn failure_after_mail_reply_is_not_retried() {
    let peer = StubServer::start(StubSetup::default(), {
        let messages = std::sync::atomic::AtomicUsize::new(0);
        move |_, line| {
            if line == "." && messages.fetch_add(1, std::sync::atomic::Ordering::SeqCst) > 0 {
                StubAction::Close
            } else {
                StubAction::Usual
            }
        }
    })
    .await;
    let relay = relay_to(&peer);
    assert_eq!(deliver(&relay, &mail(&["a@out.example"], RAW)).await, ["delivered"]);
    let outcomes = deliver(&relay, &mail(&["a@out.example"], RAW)).await;
    assert_eq!(outcomes, ["deferred the connection to the relay broke at the content"]);
    assert_eq!(peer.connections(), 1);
}

#[tokio::test]
async fn idle_connection_expires() {
    let peer = StubServer::usual().await;
    let mut options = options(&format!("smtp://{}", peer.address));
    options.idle_timeout = Duration::from_millis(50);
    let relay = RelayTransport::new(options).unwrap();
    deliver(&relay, &mail(&["a@out.example"], RAW)).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    deliver(&relay, &mail(&["a@out.example"], RAW)).await;
    assert_eq!(peer.connections(), 2);
}

#[tokio::test]
async fn idle_connections_are_limited() {
    let peer = StubServer::usual().await;
    let mut options = options(&format!("smtp://{}", peer.address));
    options.max_idle = 0;
    let relay = RelayTransport::new(options).unwrap();
    for _ in 0..3 {
        deliver(&relay, &mail(&["a@out.example"], RAW)).await;
    }
    assert_eq!(peer.connections(), 3);
}

#[tokio::test]
async fn connection_is_closed_after_hundred_messages() {
    let peer = StubServer::usual().await;
    let relay = relay_to(&peer);
    for _ in 0..101 {
        assert_eq!(deliver(&relay, &mail(&["a@out.example"], RAW)).await, ["delivered"]);
    }
    assert_eq!(peer.connections(), 2);
    assert_eq!(peer.received(0).last().unwrap(), "QUIT");
}

#[tokio::test]
async fn concurrent_messages_use_separate_connections() {
    let peer = StubServer::usual().await;
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

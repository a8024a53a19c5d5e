//! Outcomes of each reply at each stage.

use std::time::Duration;

use super::{deliver, mail, options, relay_to};
use crate::client::stub_server::{StubAction, StubServer, StubSetup};
use crate::relay::RelayTransport;

const TWO: [&str; 2] = ["a@out.example", "b@out.example"];
const RAW: &[u8] = b"Subject: hi\r\n\r\nhello\r\n";

#[tokio::test]
async fn message_is_delivered() {
    let peer = StubServer::usual().await;
    assert_eq!(deliver(&relay_to(&peer), &mail(&TWO, RAW)).await, ["delivered", "delivered"]);
    let expected = [
        "EHLO mx.here.example",
        "MAIL FROM:<scout@here.example> SIZE=22",
        "RCPT TO:<a@out.example>",
        "RCPT TO:<b@out.example>",
        "DATA",
        "Subject: hi\r\n\r\nhello\r\n.\r\n",
    ];
    assert_eq!(peer.received(0), expected);
}

/// Stage, reply of the relay, and outcomes of two recipients.
type Case = (&'static str, &'static str, [&'static str; 2]);

#[tokio::test]
async fn reply_at_each_stage_decides_outcome() {
    let table: &[Case] = &[
        ("greeting", "554 5.3.2 not today", ["deferred the relay replied to the connection: 554 5.3.2 not today"; 2]),
        ("greeting", "421 later", ["deferred the relay replied to the connection: 421 later"; 2]),
        ("greeting", "what is this", ["deferred the reply of the relay to the connection is not valid SMTP"; 2]),
        ("EHLO", "421 4.3.2 later", ["deferred the relay replied to EHLO: 421 4.3.2 later"; 2]),
        ("MAIL", "550 5.7.1 not you", ["refused 5.7.1 550 5.7.1 not you"; 2]),
        ("MAIL", "550 not you", ["refused 5.7.0 550 not you"; 2]),
        ("MAIL", "552 5.3.4 too large", ["refused 5.3.4 552 5.3.4 too large"; 2]),
        ("MAIL", "552 too large", ["refused 5.3.4 552 too large"; 2]),
        ("MAIL", "530 5.7.0 log in", ["deferred the relay replied to MAIL: 530 5.7.0 log in"; 2]),
        ("MAIL", "451 4.3.0 later", ["deferred the relay replied to MAIL: 451 4.3.0 later"; 2]),
        ("MAIL", "421 later", ["deferred the relay replied to MAIL: 421 later"; 2]),
        ("RCPT TO:<a@", "550 5.1.1 unknown", ["refused 5.1.1 550 5.1.1 unknown", "delivered"]),
        ("RCPT TO:<b@", "550 5.1.1 unknown", ["delivered", "refused 5.1.1 550 5.1.1 unknown"]),
        ("RCPT TO:<a@", "550 unknown user", ["refused 5.0.0 550 unknown user", "delivered"]),
        ("RCPT TO:<a@", "550 4.1.1 confused", ["refused 5.7.1 550 4.1.1 confused", "delivered"]),
        ("RCPT TO:<a@", "251 2.1.5 will forward", ["delivered", "delivered"]),
        ("RCPT TO:<a@", "451 4.7.1 grey", ["deferred the relay replied to RCPT: 451 4.7.1 grey", "delivered"]),
        ("RCPT TO:<a@", "452 4.5.3 many", ["deferred the relay replied to RCPT: 452 4.5.3 many", "delivered"]),
        ("RCPT TO:<a@", "552 too many", ["deferred the relay replied to RCPT: 552 too many", "delivered"]),
        ("RCPT TO:<a@", "552 5.2.2 full", ["refused 5.2.2 552 5.2.2 full", "delivered"]),
        ("RCPT", "550 5.1.1 unknown", ["refused 5.1.1 550 5.1.1 unknown"; 2]),
        (
            "RCPT TO:<b@",
            "421 going",
            ["deferred the relay replied to RCPT: 421 going", "deferred the relay replied to RCPT: 421 going"],
        ),
        ("DATA", "554 5.7.1 no", ["refused 5.7.1 554 5.7.1 no"; 2]),
        ("DATA", "451 4.3.0 later", ["deferred the relay replied to DATA: 451 4.3.0 later"; 2]),
        ("DATA", "250 what", ["deferred the relay replied to DATA: 250 what"; 2]),
        (".", "554 5.7.1 spam", ["refused 5.7.1 554 5.7.1 spam"; 2]),
        (".", "554 spam", ["refused 5.6.0 554 spam"; 2]),
        (".", "552 large", ["refused 5.3.4 552 large"; 2]),
        (".", "452 4.3.1 full", ["deferred the relay replied to the content: 452 4.3.1 full"; 2]),
        (".", "250-two|250 lines", ["delivered"; 2]),
        (".", "250-two|550 minds", ["deferred the reply of the relay to the content is not valid SMTP"; 2]),
    ];
    for extensions in [&["8BITMIME"] as &'static [&str], &["PIPELINING", "8BITMIME"]] {
        for &(stage, answer, expected) in table {
            let setup = StubSetup { extensions, ..StubSetup::default() };
            let script = move |_: usize, line: &str| {
                if line.starts_with(stage) { StubAction::Say(answer) } else { StubAction::Usual }
            };
            let peer = StubServer::start(setup, script).await;
            let outcomes = deliver(&relay_to(&peer), &mail(&TWO, RAW)).await;
            assert_eq!(outcomes, expected, "{stage}: {answer} with {extensions:?}");
        }
    }
}

#[tokio::test]
async fn refused_recipient_stays_refused_after_failure() {
    let peer = StubServer::start(StubSetup::default(), |_, line| match line {
        "RCPT TO:<a@out.example>" => StubAction::Say("550 5.1.1 unknown"),
        "." => StubAction::Close,
        _ => StubAction::Usual,
    });
    let outcomes = deliver(&relay_to(&peer.await), &mail(&TWO, RAW)).await;
    assert_eq!(
        outcomes,
        ["refused 5.1.1 550 5.1.1 unknown", "deferred the connection to the relay broke at the content"]
    );
}

#[tokio::test]
async fn relay_closing_at_any_stage_defers() {
    for (stage, words) in [
        ("greeting", "the connection"),
        ("EHLO", "EHLO"),
        ("MAIL", "MAIL"),
        ("RCPT", "RCPT"),
        ("DATA", "DATA"),
        (".", "the content"),
    ] {
        let script =
            move |_: usize, line: &str| if line.starts_with(stage) { StubAction::Close } else { StubAction::Usual };
        let peer = StubServer::start(StubSetup::default(), script).await;
        let outcomes = deliver(&relay_to(&peer), &mail(&TWO, RAW)).await;
        let expected = format!("deferred the connection to the relay broke at {words}");
        assert_eq!(outcomes, [expected.clone(), expected], "{stage}");
    }
}

#[tokio::test]
async fn relay_hanging_at_any_stage_defers() {
    for stage in ["greeting", "EHLO", "MAIL", "RCPT", "DATA", "."] {
        let script =
            move |_: usize, line: &str| if line.starts_with(stage) { StubAction::Hang } else { StubAction::Usual };
        let peer = StubServer::start(StubSetup::default(), script).await;
        let mut options = options(&format!("smtp://{}", peer.address));
        options.timeouts.greeting = Duration::from_millis(100);
        options.timeouts.command = Duration::from_millis(100);
        options.timeouts.data_end = Duration::from_millis(100);
        let outcomes = deliver(&RelayTransport::new(options).unwrap(), &mail(&["a@out.example"], RAW)).await;
        assert!(outcomes[0].starts_with("deferred the relay did not reply to "), "{stage}: {outcomes:?}");
    }
}

#[tokio::test]
async fn total_limit_bounds_delivery() {
    let peer =
        StubServer::start(
            StubSetup::default(),
            |_, line| if line == "DATA" { StubAction::Hang } else { StubAction::Usual },
        )
        .await;
    let mut options = options(&format!("smtp://{}", peer.address));
    options.timeouts.command = Duration::from_hours(1);
    options.timeouts.total = Duration::from_millis(200);
    let outcomes = deliver(&RelayTransport::new(options).unwrap(), &mail(&["a@out.example"], RAW)).await;
    assert_eq!(outcomes, ["deferred delivery to the relay took too long"]);
}

#[tokio::test]
async fn unreachable_relay_defers() {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let relay = RelayTransport::new(options(&format!("smtp://{address}"))).unwrap();
    let outcomes = deliver(&relay, &mail(&["a@out.example"], RAW)).await;
    assert!(outcomes[0].starts_with("deferred no connection to the relay: "), "{outcomes:?}");
}

#[tokio::test]
async fn refusal_during_content_is_read() {
    let peer = StubServer::start(StubSetup::default(), |_, line| match line {
        // The server replies 354 and then refuses while the content is still arriving.
        "DATA" => StubAction::SayAndClose("354 go on\r\n552 5.3.4 that is enough"),
        _ => StubAction::Usual,
    });
    let raw = b"a line of a mail\r\n".repeat(500_000);
    let outcomes = deliver(&relay_to(&peer.await), &mail(&["a@out.example"], &raw)).await;
    assert!(outcomes[0].starts_with("refused 5.3.4 "), "{outcomes:?}");
}

#[tokio::test]
async fn endless_reply_is_invalid() {
    let endless: &'static str = Box::leak("250-x|".repeat(1000).into_boxed_str());
    let long: &'static str = Box::leak(format!("250 {}", "x".repeat(10_000)).into_boxed_str());
    for answer in [endless, long] {
        let script = move |_: usize, line: &str| {
            if line.starts_with("MAIL") { StubAction::Say(answer) } else { StubAction::Usual }
        };
        let peer = StubServer::start(StubSetup::default(), script).await;
        let outcomes = deliver(&relay_to(&peer), &mail(&["a@out.example"], RAW)).await;
        assert_eq!(outcomes, ["deferred the reply of the relay to MAIL is not valid SMTP"]);
    }
}

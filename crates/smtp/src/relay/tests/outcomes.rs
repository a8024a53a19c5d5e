//! What each answer at each stage means for each recipient.

use std::time::Duration;

use super::peer::{Act, Peer, Setup};
use super::{deliver, mail, options, relay_to};
use crate::relay::Relay;

const TWO: [&str; 2] = ["a@out.example", "b@out.example"];
const RAW: &[u8] = b"Subject: hi\r\n\r\nhello\r\n";

#[tokio::test]
async fn a_mail_is_delivered() {
    let peer = Peer::usual().await;
    assert_eq!(deliver(&relay_to(&peer), &mail(&TWO, RAW)).await, ["delivered", "delivered"]);
    let expected = [
        "EHLO mx.here.example",
        "MAIL FROM:<scout@here.example> SIZE=22",
        "RCPT TO:<a@out.example>",
        "RCPT TO:<b@out.example>",
        "DATA",
        "Subject: hi\r\n\r\nhello\r\n.\r\n",
    ];
    assert_eq!(peer.heard(0), expected);
}

/// A stage, what the relay answers at it, and what becomes of two recipients.
type Case = (&'static str, &'static str, [&'static str; 2]);

#[tokio::test]
async fn every_stage_has_its_meaning() {
    let table: &[Case] = &[
        (
            "greeting",
            "554 5.3.2 not today",
            ["deferred the relay answered the connection with: 554 5.3.2 not today"; 2],
        ),
        ("greeting", "421 later", ["deferred the relay answered the connection with: 421 later"; 2]),
        ("greeting", "what is this", ["deferred what the relay answered to the connection is not SMTP"; 2]),
        ("EHLO", "421 4.3.2 later", ["deferred the relay answered EHLO with: 421 4.3.2 later"; 2]),
        ("MAIL", "550 5.7.1 not you", ["refused 5.7.1 550 5.7.1 not you"; 2]),
        ("MAIL", "550 not you", ["refused 5.7.0 550 not you"; 2]),
        ("MAIL", "552 5.3.4 too large", ["refused 5.3.4 552 5.3.4 too large"; 2]),
        ("MAIL", "552 too large", ["refused 5.3.4 552 too large"; 2]),
        ("MAIL", "530 5.7.0 log in", ["deferred the relay answered MAIL with: 530 5.7.0 log in"; 2]),
        ("MAIL", "451 4.3.0 later", ["deferred the relay answered MAIL with: 451 4.3.0 later"; 2]),
        ("MAIL", "421 later", ["deferred the relay answered MAIL with: 421 later"; 2]),
        ("RCPT TO:<a@", "550 5.1.1 unknown", ["refused 5.1.1 550 5.1.1 unknown", "delivered"]),
        ("RCPT TO:<b@", "550 5.1.1 unknown", ["delivered", "refused 5.1.1 550 5.1.1 unknown"]),
        ("RCPT TO:<a@", "550 unknown", ["refused 5.0.0 550 unknown", "delivered"]),
        ("RCPT TO:<a@", "550 4.1.1 confused", ["refused 5.0.0 550 4.1.1 confused", "delivered"]),
        ("RCPT TO:<a@", "251 2.1.5 will forward", ["delivered", "delivered"]),
        ("RCPT TO:<a@", "451 4.7.1 grey", ["deferred the relay answered RCPT with: 451 4.7.1 grey", "delivered"]),
        ("RCPT TO:<a@", "452 4.5.3 many", ["deferred the relay answered RCPT with: 452 4.5.3 many", "delivered"]),
        ("RCPT TO:<a@", "552 too many", ["deferred the relay answered RCPT with: 552 too many", "delivered"]),
        ("RCPT TO:<a@", "552 5.2.2 full", ["refused 5.2.2 552 5.2.2 full", "delivered"]),
        ("RCPT", "550 5.1.1 unknown", ["refused 5.1.1 550 5.1.1 unknown"; 2]),
        (
            "RCPT TO:<b@",
            "421 going",
            ["deferred the relay answered RCPT with: 421 going", "deferred the relay answered RCPT with: 421 going"],
        ),
        ("DATA", "554 5.7.1 no", ["refused 5.7.1 554 5.7.1 no"; 2]),
        ("DATA", "451 4.3.0 later", ["deferred the relay answered DATA with: 451 4.3.0 later"; 2]),
        ("DATA", "250 what", ["deferred the relay answered DATA with: 250 what"; 2]),
        (".", "554 5.7.1 spam", ["refused 5.7.1 554 5.7.1 spam"; 2]),
        (".", "554 spam", ["refused 5.6.0 554 spam"; 2]),
        (".", "552 large", ["refused 5.3.4 552 large"; 2]),
        (".", "452 4.3.1 full", ["deferred the relay answered the mail with: 452 4.3.1 full"; 2]),
        (".", "250-two|250 lines", ["delivered"; 2]),
        (".", "250-two|550 minds", ["deferred what the relay answered to the mail is not SMTP"; 2]),
    ];
    for extensions in [&["8BITMIME"] as &'static [&str], &["PIPELINING", "8BITMIME"]] {
        for &(stage, answer, expected) in table {
            let setup = Setup { extensions, ..Setup::default() };
            let script =
                move |_: usize, line: &str| if line.starts_with(stage) { Act::Say(answer) } else { Act::Usual };
            let peer = Peer::start(setup, script).await;
            let outcomes = deliver(&relay_to(&peer), &mail(&TWO, RAW)).await;
            assert_eq!(outcomes, expected, "{stage}: {answer} with {extensions:?}");
        }
    }
}

#[tokio::test]
async fn a_refusal_stands_whatever_becomes_of_the_others() {
    let peer = Peer::start(Setup::default(), |_, line| match line {
        "RCPT TO:<a@out.example>" => Act::Say("550 5.1.1 unknown"),
        "." => Act::Close,
        _ => Act::Usual,
    });
    let outcomes = deliver(&relay_to(&peer.await), &mail(&TWO, RAW)).await;
    assert_eq!(outcomes, ["refused 5.1.1 550 5.1.1 unknown", "deferred the connection to the relay broke at the mail"]);
}

#[tokio::test]
async fn a_relay_that_closes_at_any_stage_defers() {
    for (stage, words) in [
        ("greeting", "the connection"),
        ("EHLO", "EHLO"),
        ("MAIL", "MAIL"),
        ("RCPT", "RCPT"),
        ("DATA", "DATA"),
        (".", "the mail"),
    ] {
        let script = move |_: usize, line: &str| if line.starts_with(stage) { Act::Close } else { Act::Usual };
        let peer = Peer::start(Setup::default(), script).await;
        let outcomes = deliver(&relay_to(&peer), &mail(&TWO, RAW)).await;
        let expected = format!("deferred the connection to the relay broke at {words}");
        assert_eq!(outcomes, [expected.clone(), expected], "{stage}");
    }
}

#[tokio::test]
async fn a_relay_that_hangs_at_any_stage_defers() {
    for stage in ["greeting", "EHLO", "MAIL", "RCPT", "DATA", "."] {
        let script = move |_: usize, line: &str| if line.starts_with(stage) { Act::Hang } else { Act::Usual };
        let peer = Peer::start(Setup::default(), script).await;
        let mut options = options(&format!("smtp://{}", peer.address));
        options.timeouts.greeting = Duration::from_millis(100);
        options.timeouts.command = Duration::from_millis(100);
        options.timeouts.data_end = Duration::from_millis(100);
        let outcomes = deliver(&Relay::new(options).unwrap(), &mail(&["a@out.example"], RAW)).await;
        assert!(outcomes[0].starts_with("deferred the relay did not answer "), "{stage}: {outcomes:?}");
    }
}

#[tokio::test]
async fn the_whole_is_bounded_too() {
    let peer = Peer::start(Setup::default(), |_, line| if line == "DATA" { Act::Hang } else { Act::Usual }).await;
    let mut options = options(&format!("smtp://{}", peer.address));
    options.timeouts.command = Duration::from_hours(1);
    options.timeouts.total = Duration::from_millis(200);
    let outcomes = deliver(&Relay::new(options).unwrap(), &mail(&["a@out.example"], RAW)).await;
    assert_eq!(outcomes, ["deferred handing the mail to the relay took too long"]);
}

#[tokio::test]
async fn nobody_there_defers() {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let relay = Relay::new(options(&format!("smtp://{address}"))).unwrap();
    let outcomes = deliver(&relay, &mail(&["a@out.example"], RAW)).await;
    assert!(outcomes[0].starts_with("deferred no connection to the relay: "), "{outcomes:?}");
}

#[tokio::test]
async fn a_relay_that_refuses_in_the_middle_of_the_mail_is_heard() {
    let peer = Peer::start(Setup::default(), |_, line| match line {
        // It says 354 and, with the mail still coming, that it will not have it.
        "DATA" => Act::SayAndClose("354 go on\r\n552 5.3.4 that is enough"),
        _ => Act::Usual,
    });
    let raw = b"a line of a mail\r\n".repeat(500_000);
    let outcomes = deliver(&relay_to(&peer.await), &mail(&["a@out.example"], &raw)).await;
    assert!(outcomes[0].starts_with("refused 5.3.4 "), "{outcomes:?}");
}

#[tokio::test]
async fn endless_replies_are_cut_off() {
    let endless: &'static str = Box::leak("250-x|".repeat(1000).into_boxed_str());
    let long: &'static str = Box::leak(format!("250 {}", "x".repeat(10_000)).into_boxed_str());
    for answer in [endless, long] {
        let script = move |_: usize, line: &str| if line.starts_with("MAIL") { Act::Say(answer) } else { Act::Usual };
        let peer = Peer::start(Setup::default(), script).await;
        let outcomes = deliver(&relay_to(&peer), &mail(&["a@out.example"], RAW)).await;
        assert_eq!(outcomes, ["deferred what the relay answered to MAIL is not SMTP"]);
    }
}

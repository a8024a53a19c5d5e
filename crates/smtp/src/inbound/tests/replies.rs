//! Table of replies.

use inboxd_core::app::NotReceived;
use inboxd_core::ports::{IntakeHold, StoreError};

use crate::inbound::reply::Reply;

fn text(reply: &Reply) -> String {
    let mut output = Vec::new();
    reply.encode(&mut output);
    String::from_utf8(output).unwrap()
}

fn refusals() -> Vec<Reply> {
    vec![
        Reply::ShuttingDown,
        Reply::Idle,
        Reply::SessionTimeout,
        Reply::TooManyFaults,
        Reply::TooManyCommands,
        Reply::TooManyUnknown,
        Reply::NotSmtp,
        Reply::ServerFull,
        Reply::ClientFull,
        Reply::NetworkFull,
        Reply::Yielded,
        Reply::TooSlow,
        Reply::RecipientBusy,
        Reply::RecipientDeferred { text: "cause; next step".to_owned() },
        Reply::StoreBusy,
        Reply::ContentStoreAway,
        Reply::NoCapacity,
        Reply::TooManyRecipients { limit: 100 },
        Reply::TooManyCopies { limit: 3 },
        Reply::UnknownCommand,
        Reply::LineTooLong { limit: 2048 },
        Reply::BareLineEnd,
        Reply::NotText,
        Reply::Argument { cause: "cause; next step" },
        Reply::SenderAddress { cause: "the domain is not valid".to_owned() },
        Reply::RecipientAddress { cause: "the domain is not valid".to_owned() },
        Reply::NotOffered { verb: "EXPN" },
        Reply::Sequence { cause: "cause; next step" },
        Reply::ParameterValue { cause: "cause; next step" },
        Reply::Parameter { name: "RET".to_owned() },
        Reply::UnknownRecipient { address: "a@b.c".to_owned() },
        Reply::TooLarge { limit: 1000 },
        Reply::TlsRequired,
        Reply::NeedsUtf8,
        Reply::NoRecipients,
        Reply::BareLineEndInContent,
        Reply::Refused { code: 554, status: "5.4.6", text: "round and round; stop forwarding".to_owned() },
    ]
}

#[test]
fn reply_table_matches_snapshot() {
    let keyword_part = [
        Reply::Greeting { hostname: "mx.example".to_owned() },
        Reply::Hello { hostname: "mx.example".to_owned(), client: "c".to_owned() },
        Reply::StartTls,
        Reply::Help,
        Reply::Goodbye,
        Reply::Done,
        Reply::Sender,
        Reply::Recipient,
        Reply::Chunk { bytes: 3 },
        Reply::Stored,
        Reply::Dropped,
        Reply::CannotVerify,
        Reply::SendContent,
    ];
    let table: String = keyword_part.iter().chain(&refusals()).map(|reply| text(reply).replace("\r\n", "\n")).collect();
    insta::assert_snapshot!(table);
}

#[test]
fn refusal_has_matching_status_and_next_step() {
    for reply in refusals() {
        let text = text(&reply);
        let (code, rest) = text.split_once(' ').unwrap();
        let (status, words) = rest.split_once(' ').unwrap();
        assert_eq!(status.get(..1), code.get(..1), "{text}");
        assert_eq!(status.split('.').count(), 3, "{text}");
        assert!(words.contains("; "), "a cause and a next step: {text}");
        assert!(text.len() <= 512 && text.ends_with("\r\n"), "{text}");
    }
}

fn address() -> inboxd_mail::EmailAddress {
    "a@b.example".parse().unwrap()
}

#[test]
fn application_refusal_has_its_codes() {
    let table = [
        (NotReceived::UnknownRecipient(address()), "550 5.1.1 no such mailbox: a@b.example"),
        (NotReceived::OneIsGone(address()), "451 4.2.1 the mailbox a@b.example no longer exists"),
        (NotReceived::Deferred { address: address(), hold: IntakeHold::Paused }, "450 4.2.1 the mailbox a@b.example"),
        (NotReceived::MailboxFull(address()), "452 4.2.2 a@b.example is over its storage limit"),
        (NotReceived::NoSpace, "452 4.3.1 the disk is full"),
        (NotReceived::Loop("why"), "554 5.4.6 mail loop: why\r\n"),
        (NotReceived::TooLarge(9), "552 5.3.4 the message exceeds 9"),
        (NotReceived::NoReport, "550 5.7.1 this address accepts only reports"),
        (NotReceived::ForeignReports(Vec::new()), "550 5.7.1 no report about a domain of this service; "),
        (StoreError::Contention.into(), "451 4.3.0 the mail was not stored"),
    ];
    for (refusal, expected) in table {
        let text = text(&Reply::of_refusal(&refusal));
        assert!(text.starts_with(expected), "{text}");
    }
}

#[test]
fn reply_text_is_one_ascii_line() {
    let text =
        text(&Reply::Refused { code: 550, status: "5.7.1", text: format!("a\r\n250 ok\tü{}", "x".repeat(900)) });
    assert!(text.starts_with("550 5.7.1 a??250 ok??xxx"), "{text}");
    assert_eq!(text.matches("\r\n").count(), 1);
    assert!(text.len() <= 512);
}

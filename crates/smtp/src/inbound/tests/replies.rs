//! The table of replies, as a client reads it.

use crate::inbound::Refusal;
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
        Reply::SessionOver,
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
        Reply::NoRoom,
        Reply::TooManyRecipients { limit: 100 },
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
        Reply::Refused { refusal: Refusal::Loop, text: "round and round; stop forwarding".to_owned() },
    ]
}

/// The whole table, as a client reads it.
#[test]
fn the_table_is_as_agreed() {
    let said = [
        Reply::Greeting { hostname: "mx.example".to_owned() },
        Reply::Hello { hostname: "mx.example".to_owned(), client: "c".to_owned() },
        Reply::StartTls,
        Reply::Help,
        Reply::Goodbye,
        Reply::Done,
        Reply::Sender,
        Reply::Recipient,
        Reply::Chunk { octets: 3 },
        Reply::Stored,
        Reply::CannotVerify,
        Reply::SendContent,
    ];
    let table: String = said.iter().chain(&refusals()).map(|reply| text(reply).replace("\r\n", "\n")).collect();
    insta::assert_snapshot!(table);
}

#[test]
fn every_refusal_has_a_status_of_its_class_and_a_next_step() {
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

#[test]
fn refusals_of_the_application_have_their_codes() {
    let table = [
        (Refusal::NoSuchRecipient, "550 5.1.1 why\r\n"),
        (Refusal::OneIsGone, "451 4.2.1 why\r\n"),
        (Refusal::Deferred, "450 4.2.1 why\r\n"),
        (Refusal::MailboxFull, "552 5.2.2 why\r\n"),
        (Refusal::Loop, "554 5.4.6 why\r\n"),
        (Refusal::TooLarge, "552 5.3.4 why\r\n"),
        (Refusal::Malformed, "554 5.6.0 why\r\n"),
        (Refusal::Policy, "550 5.7.1 why\r\n"),
    ];
    for (refusal, expected) in table {
        assert_eq!(text(&Reply::Refused { refusal, text: "why".to_owned() }), expected);
    }
}

#[test]
fn whatever_a_text_holds_it_is_one_line_of_ascii() {
    let text = text(&Reply::Refused { refusal: Refusal::Policy, text: format!("a\r\n250 ok\tü{}", "x".repeat(900)) });
    assert!(text.starts_with("550 5.7.1 a??250 ok??xxx"), "{text}");
    assert_eq!(text.matches("\r\n").count(), 1);
    assert!(text.len() <= 512);
}

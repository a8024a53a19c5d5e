//! Client behaviour by server extensions.

use std::sync::{Arc, Mutex};

use super::{address, deliver, mail, relay_to};
use crate::client::stub_server::{StubAction, StubServer, StubSetup};

const UTF8: &str = "b\u{fc}ro@out.example";

async fn offering(extensions: &'static [&'static str]) -> StubServer {
    StubServer::start(StubSetup { extensions, ..StubSetup::default() }, |_, _| StubAction::Usual).await
}

#[tokio::test]
async fn helo_suffices_for_ascii() {
    let script =
        |_: usize, line: &str| if line.starts_with("EHLO") { StubAction::Say("500 what") } else { StubAction::Usual };
    let peer = StubServer::start(StubSetup::default(), script).await;
    assert_eq!(deliver(&relay_to(&peer), &mail(&["a@out.example"], b"hi\r\n")).await, ["delivered"]);
    assert_eq!(peer.received(0)[1..3], ["HELO mx.here.example", "MAIL FROM:<scout@here.example>"]);
    let outcomes = deliver(&relay_to(&peer), &mail(&["a@out.example"], "h\u{ef}\r\n".as_bytes())).await;
    assert!(outcomes[0].starts_with("refused 5.6.3 "), "{outcomes:?}");
}

#[tokio::test]
async fn commands_are_pipelined_only_when_offered() {
    // The server counts the commands that arrive before its first reply to RCPT.
    for (extensions, expected) in [(&["PIPELINING"] as &'static [&str], 5), (&[], 2)] {
        let waiting = Arc::new(Mutex::new(0));
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("smtp://{}", listener.local_addr().unwrap());
        let seen = Arc::clone(&waiting);
        tokio::spawn(async move {
            use tokio::io::{AsyncReadExt, AsyncWriteExt};
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.write_all(b"220 hi\r\n").await.unwrap();
            let mut buffer = [0; 4096];
            let _ = stream.read(&mut buffer).await.unwrap();
            let hello = extensions.iter().fold("250-hi\r\n".to_owned(), |all, one| all + "250-" + one + "\r\n");
            stream.write_all((hello + "250 HELP\r\n").as_bytes()).await.unwrap();
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            let read = stream.read(&mut buffer).await.unwrap();
            *seen.lock().unwrap() = str::from_utf8(&buffer[..read]).unwrap().lines().count() + 1;
        });
        let relay = crate::relay::RelayTransport::new(super::options(&url)).unwrap();
        deliver(&relay, &mail(&["a@out.example", "b@out.example"], b"hi\r\n")).await;
        assert_eq!(*waiting.lock().unwrap(), expected, "{extensions:?}");
    }
}

#[tokio::test]
async fn each_of_many_recipients_has_an_outcome() {
    let recipients: Vec<_> = (0..250).map(|number| format!("r{number}@out.example")).collect();
    let recipients: Vec<_> = recipients.iter().map(String::as_str).collect();
    let script = |_: usize, line: &str| {
        if line.contains("5@") { StubAction::Say("550 5.1.1 no five") } else { StubAction::Usual }
    };
    let peer = StubServer::start(StubSetup::default(), script).await;
    let outcomes = deliver(&relay_to(&peer), &mail(&recipients, b"hi\r\n")).await;
    for (recipient, outcome) in recipients.iter().zip(outcomes) {
        let expected = if recipient.contains("5@") { "refused 5.1.1 550 5.1.1 no five" } else { "delivered" };
        assert_eq!(outcome, expected, "{recipient}");
    }
}

#[tokio::test]
async fn size_is_declared_and_limit_respected() {
    let peer = offering(&["SIZE 10"]).await;
    let outcomes = deliver(&relay_to(&peer), &mail(&["a@out.example"], b"0123456789\r\n")).await;
    assert!(outcomes[0].starts_with("refused 5.3.4 "), "{outcomes:?}");
    for extensions in [&["SIZE 0"] as &'static [&str], &["SIZE"], &["size 100"]] {
        let peer = offering(extensions).await;
        assert_eq!(deliver(&relay_to(&peer), &mail(&["a@out.example"], b"0123456789\r\n")).await, ["delivered"]);
        assert_eq!(peer.received(0)[1], "MAIL FROM:<scout@here.example> SIZE=12");
    }
}

#[tokio::test]
async fn eight_bit_message_requires_8bitmime() {
    let raw = "Gr\u{fc}\u{df}e\r\n".as_bytes();
    let peer = offering(&["8BITMIME"]).await;
    assert_eq!(deliver(&relay_to(&peer), &mail(&["a@out.example"], raw)).await, ["delivered"]);
    assert_eq!(peer.received(0)[1], "MAIL FROM:<scout@here.example> BODY=8BITMIME");
    let peer = offering(&["PIPELINING"]).await;
    let outcomes = deliver(&relay_to(&peer), &mail(&["a@out.example"], raw)).await;
    assert!(outcomes[0].starts_with("refused 5.6.3 "), "{outcomes:?}");
    assert_eq!(peer.received(0).len(), 1, "nothing was sent");
}

#[tokio::test]
async fn non_ascii_address_requires_smtputf8() {
    let peer = offering(&["8BITMIME", "SMTPUTF8"]).await;
    assert_eq!(deliver(&relay_to(&peer), &mail(&["a@out.example", UTF8], b"hi\r\n")).await, ["delivered", "delivered"]);
    assert_eq!(peer.received(0)[1], "MAIL FROM:<scout@here.example> SMTPUTF8");

    let peer = offering(&["8BITMIME"]).await;
    let outcomes = deliver(&relay_to(&peer), &mail(&["a@out.example", UTF8], b"hi\r\n")).await;
    assert_eq!(outcomes[0], "delivered", "other recipients are delivered");
    assert!(outcomes[1].starts_with("refused 5.6.7 "), "{outcomes:?}");
    assert_eq!(peer.received(0)[1], "MAIL FROM:<scout@here.example>");

    let mut letter = mail(&["a@out.example"], b"hi\r\n");
    letter.envelope_from = address(UTF8);
    let outcomes = deliver(&relay_to(&peer), &letter).await;
    assert!(outcomes[0].starts_with("refused 5.6.7 "), "{outcomes:?}");
}

#[tokio::test]
async fn internationalized_header_needs_smtputf8() {
    let table = [
        (&["8BITMIME", "SMTPUTF8"] as &'static [&str], format!("Cc: {UTF8}\r\n\r\nhi\r\n"), " SMTPUTF8"),
        (&["8BITMIME", "SMTPUTF8"], "Cc: b@out.example\r\n\r\nGr\u{fc}\u{df}e\r\n".to_owned(), ""),
        // Without the extension, an address that another server serves must not stop the message.
        (&["8BITMIME"], format!("Cc: {UTF8}\r\n\r\nhi\r\n"), ""),
    ];
    for (extensions, raw, parameter) in table {
        let peer = offering(extensions).await;
        assert_eq!(deliver(&relay_to(&peer), &mail(&["a@out.example"], raw.as_bytes())).await, ["delivered"], "{raw}");
        let expected = format!("MAIL FROM:<scout@here.example> BODY=8BITMIME{parameter}");
        assert_eq!(peer.received(0)[1], expected, "{raw}");
    }
}

#[tokio::test]
async fn message_with_bare_line_end_is_not_sent() {
    for raw in ["a\n.\nMAIL FROM:<x@y.example>\r\n", "a\r.\r\n", "a\r", "\n", "a\r\r\n"] {
        let peer = StubServer::usual().await;
        let outcomes = deliver(&relay_to(&peer), &mail(&["a@out.example"], raw.as_bytes())).await;
        assert!(outcomes[0].starts_with("refused 5.6.0 "), "{raw:?}: {outcomes:?}");
        assert_eq!(peer.received(0).len(), 1, "nothing was sent");
    }
}

#[tokio::test]
async fn content_is_dot_stuffed_with_one_end() {
    let table = [
        ("", ".\r\n"),
        ("a", "a\r\n.\r\n"),
        ("a\r\n", "a\r\n.\r\n"),
        (".", "..\r\n.\r\n"),
        (".\r\n", "..\r\n.\r\n"),
        ("..a\r\n.b\r\nc.\r\n", "...a\r\n..b\r\nc.\r\n.\r\n"),
        ("a\r\n\r\n", "a\r\n\r\n.\r\n"),
    ];
    for (raw, expected) in table {
        let peer = StubServer::usual().await;
        assert_eq!(deliver(&relay_to(&peer), &mail(&["a@out.example"], raw.as_bytes())).await, ["delivered"]);
        assert_eq!(peer.received(0).last().unwrap(), expected, "{raw:?}");
    }
}

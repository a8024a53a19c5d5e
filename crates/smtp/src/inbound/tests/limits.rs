//! Limits of sizes, counts and times.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::time::Instant;

use super::support::{ENVELOPE, StubMailroom, TestClient, codes, options, stored, talk};
use crate::inbound::ServerOptions;

#[tokio::test]
async fn oversized_message_is_read_and_refused() {
    let mailroom = StubMailroom::new();
    let line = "x".repeat(98) + "\r\n";
    let fits = format!("{ENVELOPE}DATA\r\n{}.\r\n", line.repeat(10));
    assert_eq!(codes(&mailroom, options(), fits).await, ["250", "250", "250", "354", "250"]);
    let over = format!("{ENVELOPE}DATA\r\n{}.\r\nNOOP\r\n", line.repeat(2000) + "\r\n");
    assert_eq!(codes(&mailroom, options(), over).await, ["250", "250", "250", "354", "552", "250"]);
    assert_eq!(mailroom.mails().len(), 1);
    assert_eq!(mailroom.mails()[0].raw.len(), 1000);
}

#[tokio::test]
async fn long_line_is_refused_and_discarded() {
    let mailroom = StubMailroom::new();
    let longest = format!("NOOP {}\r\n", "x".repeat(2048 - 7));
    assert_eq!(codes(&mailroom, options(), longest).await, ["250"]);
    for length in [2048 - 6, 5000, 1_000_000] {
        let input = format!("NOOP {}\r\nNOOP\r\n", "x".repeat(length));
        assert_eq!(codes(&mailroom, options(), input).await, ["500", "250"], "{length}");
    }
}

#[tokio::test]
async fn recipients_are_limited_without_duplicates() {
    let mailroom = StubMailroom::new();
    let limited = ServerOptions { max_recipients: 3, ..options() };
    let mut input = "EHLO c\r\nMAIL FROM:<>\r\n".to_owned();
    for name in ["a", "A", "b", "b", "c", "d", "a"] {
        input = input + "RCPT TO:<" + name + "@here.example>\r\n";
    }
    input.push_str("DATA\r\n.\r\n");
    let replies = talk(&mailroom, limited, input).await;
    let recipients: Vec<_> = replies[8..15].iter().map(|reply| &reply[..9]).collect();
    let ok = "250 2.1.5";
    assert_eq!(recipients, [ok, ok, ok, ok, ok, "452 4.5.3", ok]);
    assert_eq!(mailroom.mails()[0].recipients.len(), 3);
}

#[tokio::test]
async fn copies_of_a_large_message_are_bounded() {
    let mailroom = StubMailroom::new();
    let limited = || ServerOptions { max_copies_bytes: 1200, ..options() };
    let envelope = |size: &str| {
        format!("EHLO c\r\nMAIL FROM:<>{size}\r\n")
            + &["a", "b", "c"].map(|name| format!("RCPT TO:<{name}@here.example>\r\n")).concat()
    };
    // A declared size limits the recipients at RCPT.
    let declared = codes(&mailroom, limited(), envelope(" SIZE=500")).await;
    assert_eq!(declared, ["250", "250", "250", "250", "452"]);
    let small = codes(&mailroom, limited(), envelope(" SIZE=400")).await;
    assert_eq!(small, ["250", "250", "250", "250", "250"]);
    // Without a declared size the limit applies after the content, and nothing is stored. A repetition would not help.
    let content = |bytes: usize| "DATA\r\n".to_owned() + &"x".repeat(bytes - 2) + "\r\n.\r\n";
    let undeclared = codes(&mailroom, limited(), envelope("") + &content(500)).await;
    assert_eq!(undeclared, ["250", "250", "250", "250", "250", "354", "552"]);
    assert!(mailroom.mails().is_empty());
    // A declared size is an estimate.
    let estimated = codes(&mailroom, limited(), envelope(" SIZE=400") + &content(420)).await;
    assert_eq!(estimated, ["250", "250", "250", "250", "250", "354", "250"]);
    // One recipient is always permitted.
    let one = "EHLO c\r\nMAIL FROM:<> SIZE=900\r\nRCPT TO:<a@here.example>\r\nRCPT TO:<b@here.example>\r\n".to_owned();
    assert_eq!(
        codes(&mailroom, ServerOptions { max_copies_bytes: 800, ..options() }, one).await,
        ["250", "250", "250", "452"]
    );
}

#[tokio::test]
async fn invalid_commands_end_session_after_limit() {
    let replies = codes(&StubMailroom::new(), options(), "WHAT\r\n".repeat(100)).await;
    let mut expected = vec!["500"; 20];
    expected.push("421");
    assert_eq!(replies, expected);
}

#[tokio::test]
async fn commands_without_message_end_session() {
    let limited = || ServerOptions { max_commands: 10, ..options() };
    for errand in ["NOOP", "RSET", "HELP", "VRFY a", "EHLO c"] {
        let replies = codes(&StubMailroom::new(), limited(), format!("{errand}\r\n").repeat(50)).await;
        assert_eq!((replies.len(), replies.last().map(String::as_str)), (11, Some("421")), "{errand}");
    }
    let mails = format!("{ENVELOPE}DATA\r\nhi\r\n.\r\n").repeat(20);
    let mailroom = StubMailroom::new();
    assert!(!codes(&mailroom, limited(), mails).await.contains(&"421".to_owned()));
    assert_eq!(mailroom.mails().len(), 20);
}

#[tokio::test]
async fn unknown_recipients_end_session() {
    let limited = ServerOptions { max_unknown_recipients: 2, ..options() };
    let input = format!("EHLO c\r\nMAIL FROM:<>\r\n{}", "RCPT TO:<unknown@here.example>\r\n".repeat(5));
    assert_eq!(codes(&StubMailroom::new(), limited, input).await, ["250", "250", "550", "550", "421"]);
}

#[tokio::test(start_paused = true)]
async fn silent_client_times_out() {
    for (hello, seconds) in [("", 30), ("EHLO c\r\n", 300)] {
        let mut client = TestClient::greeted(&StubMailroom::new(), options()).await;
        client.send(hello).await;
        let before = Instant::now();
        let mut reply = client.reply().await;
        if reply.starts_with("250") {
            reply = client.reply().await;
        }
        assert!(reply.starts_with("421 4.4.2 "), "{reply}");
        assert_eq!(before.elapsed().as_secs(), seconds, "{hello:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn dripping_command_does_not_extend_time_out() {
    let mut client = TestClient::greeted(&StubMailroom::new(), options()).await;
    client.command("EHLO c").await;
    let before = Instant::now();
    for _ in 0..5 {
        client.send("x").await;
        tokio::time::sleep(Duration::from_mins(1)).await;
    }
    assert!(client.reply().await.starts_with("421 4.4.2 "));
    assert_eq!(before.elapsed().as_secs(), 300);
}

#[tokio::test(start_paused = true)]
async fn stalled_message_is_not_stored() {
    let mailroom = StubMailroom::new();
    let mut client = TestClient::greeted(&mailroom, options()).await;
    client.send(format!("{ENVELOPE}DATA\r\nhalf a mail\r\n")).await;
    for _ in 0..4 {
        client.reply().await;
    }
    let before = Instant::now();
    assert!(client.reply().await.starts_with("421 4.4.2 "));
    assert_eq!(before.elapsed().as_secs(), 60);
    assert!(mailroom.mails().is_empty());
}

#[tokio::test(start_paused = true)]
async fn commands_before_hello_do_not_extend_the_greeting_time_out() {
    let mut client = TestClient::greeted(&StubMailroom::new(), options()).await;
    let before = Instant::now();
    loop {
        let _ = client.stream.write_all(b"NOOP\r\n").await;
        if client.reply().await.starts_with("421 4.4.2 ") {
            break;
        }
        tokio::time::sleep(Duration::from_secs(7)).await;
    }
    assert!((30..38).contains(&before.elapsed().as_secs()), "{:?}", before.elapsed());
}

#[tokio::test(start_paused = true)]
async fn message_that_drips_is_cut_off() {
    let mailroom = StubMailroom::new();
    let large = ServerOptions { max_message_bytes: 1_000_000, ..options() };
    for (begin, drip) in
        [("DATA\r\n", "x"), ("BDAT 100000\r\n", "x"), ("BDAT 1\r\nx", "BDAT 1\r\nx"), ("BDAT 1\r\nx", "NOOP\r\n")]
    {
        let mut client = TestClient::greeted(&mailroom, large.clone()).await;
        client.send(format!("{ENVELOPE}{begin}")).await;
        let before = Instant::now();
        let (mut output, mut input) = tokio::io::split(client.stream);
        let dripping = tokio::spawn(async move {
            while input.write_all(drip.as_bytes()).await.is_ok() {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        });
        let mut text = String::new();
        tokio::io::AsyncReadExt::read_to_string(&mut output, &mut text).await.unwrap();
        assert!(text.contains("421 4.4.2 the message arrived too slowly"), "{begin:?}: {text}");
        assert!((60..63).contains(&before.elapsed().as_secs()), "{begin:?}: {:?}", before.elapsed());
        drop(output);
        dripping.await.unwrap();
    }
    assert!(mailroom.mails().is_empty());
}

#[tokio::test(start_paused = true)]
async fn message_at_the_required_rate_is_stored() {
    let mailroom = StubMailroom::new();
    let large = ServerOptions { max_message_bytes: 1_000_000, ..options() };
    let mut client = TestClient::greeted(&mailroom, large).await;
    client.send(format!("{ENVELOPE}DATA\r\n")).await;
    for _ in 0..4 {
        client.reply().await;
    }
    let line = "x".repeat(1_098) + "\r\n";
    for _ in 0..300 {
        client.send(&line).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    client.send(".\r\n").await;
    assert_eq!(client.reply().await, "250 2.0.0 stored");
    assert_eq!(mailroom.mails()[0].raw.len(), 300 * line.len());
}

#[tokio::test(start_paused = true)]
async fn session_ends_at_its_limit() {
    let mut client = TestClient::greeted(&StubMailroom::new(), options()).await;
    client.command("EHLO c").await;
    let before = Instant::now();
    let reply = loop {
        // The session may have closed meanwhile.
        let _ = client.stream.write_all(b"NOOP\r\n").await;
        let reply = client.reply().await;
        if !reply.starts_with("250 ") {
            break reply;
        }
        tokio::time::sleep(Duration::from_mins(4)).await;
    };
    assert!(reply.starts_with("421 4.4.2 the session"), "{reply}");
    assert!((60..65).contains(&(before.elapsed().as_secs() / 60)), "{:?}", before.elapsed());
}

#[tokio::test(start_paused = true)]
async fn hanging_recipient_lookup_is_deferred() {
    let mut client = TestClient::greeted(&StubMailroom::new(), options()).await;
    client.command("EHLO c").await;
    client.command("MAIL FROM:<>").await;
    assert!(client.command("RCPT TO:<slow@here.example>").await.starts_with("451 4.3.0 "));
}

#[tokio::test(start_paused = true)]
async fn hanging_store_is_deferred() {
    let mut mailroom = StubMailroom::returning(Ok(stored()));
    mailroom.delay = Duration::from_hours(3);
    let mut client = TestClient::greeted(&Arc::new(mailroom), options()).await;
    client.send(format!("{ENVELOPE}DATA\r\n.\r\n")).await;
    for _ in 0..4 {
        client.reply().await;
    }
    assert!(client.reply().await.starts_with("451 4.3.0 "));
}

#[tokio::test(start_paused = true)]
async fn disconnected_client_does_not_cancel_store() {
    let mut mailroom = StubMailroom::returning(Ok(stored()));
    mailroom.delay = Duration::from_secs(10);
    let mailroom = Arc::new(mailroom);
    let mut client = TestClient::greeted(&mailroom, options()).await;
    client.send(format!("{ENVELOPE}DATA\r\nhi\r\n.\r\n")).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    drop(client.stream);
    client.session.abort();
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert_eq!(mailroom.mails().len(), 1);
}

#[tokio::test]
async fn message_of_disconnected_client_is_not_stored() {
    for content in ["", "half", "half\r\n", "half\r\n.", "half\r\n.\r"] {
        let mailroom = StubMailroom::new();
        codes(&mailroom, options(), format!("{ENVELOPE}DATA\r\n{content}")).await;
        assert!(mailroom.mails().is_empty(), "{content:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn client_that_reads_nothing_is_dropped() {
    let mailroom = StubMailroom::new();
    let client = TestClient::begin(&mailroom, options());
    let (unread, mut far) = tokio::io::split(client.stream);
    let sender = tokio::spawn(async move { while far.write_all(&b"HELP\r\n".repeat(100)).await.is_ok() {} });
    client.session.await.unwrap();
    drop(unread);
    sender.await.unwrap();
}

#[tokio::test]
async fn idle_session_receives_421_at_shutdown() {
    let mut client = TestClient::greeted(&StubMailroom::new(), options()).await;
    client.command("EHLO c").await;
    client.stop.send_replace(true);
    assert!(client.reply().await.starts_with("421 4.3.2 "));
    assert_eq!(client.reply().await, "");
}

#[tokio::test]
async fn message_in_transfer_is_stored_at_shutdown() {
    let mailroom = StubMailroom::new();
    let mut client = TestClient::greeted(&mailroom, options()).await;
    client.send(format!("{ENVELOPE}DATA\r\nhalf")).await;
    for _ in 0..4 {
        client.reply().await;
    }
    client.stop.send_replace(true);
    client.send("\r\n.\r\nNOOP\r\n").await;
    assert_eq!(client.reply().await, "250 2.0.0 stored");
    assert!(client.reply().await.starts_with("421 4.3.2 "));
    assert_eq!(mailroom.mails().len(), 1);
}

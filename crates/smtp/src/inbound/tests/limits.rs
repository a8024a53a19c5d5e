//! Sizes, counts and times.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::time::Instant;

use super::support::{Client, ENVELOPE, Room, codes, options, talk};
use crate::inbound::{ReceiveAnswer, ServerOptions};

#[tokio::test]
async fn a_mail_over_the_limit_is_read_to_its_end_and_refused() {
    let room = Room::new();
    let line = "x".repeat(98) + "\r\n";
    let fits = format!("{ENVELOPE}DATA\r\n{}.\r\n", line.repeat(10));
    assert_eq!(codes(&room, options(), fits).await, ["250", "250", "250", "354", "250"]);
    let over = format!("{ENVELOPE}DATA\r\n{}.\r\nNOOP\r\n", line.repeat(2000) + "\r\n");
    assert_eq!(codes(&room, options(), over).await, ["250", "250", "250", "354", "552", "250"]);
    assert_eq!(room.mails().len(), 1);
    assert_eq!(room.mails()[0].raw.len(), 1000);
}

#[tokio::test]
async fn long_lines_are_refused_and_forgotten() {
    let room = Room::new();
    let longest = format!("NOOP {}\r\n", "x".repeat(2048 - 7));
    assert_eq!(codes(&room, options(), longest).await, ["250"]);
    for length in [2048 - 6, 5000, 1_000_000] {
        let input = format!("NOOP {}\r\nNOOP\r\n", "x".repeat(length));
        assert_eq!(codes(&room, options(), input).await, ["500", "250"], "{length}");
    }
}

#[tokio::test]
async fn recipients_are_bounded_and_counted_once() {
    let room = Room::new();
    let limited = ServerOptions { max_recipients: 3, ..options() };
    let mut input = "EHLO c\r\nMAIL FROM:<>\r\n".to_owned();
    for name in ["a", "A", "b", "b", "c", "d", "a"] {
        input = input + "RCPT TO:<" + name + "@here.example>\r\n";
    }
    input.push_str("DATA\r\n.\r\n");
    let replies = talk(&room, limited, input).await;
    let recipients: Vec<_> = replies[8..15].iter().map(|reply| &reply[..9]).collect();
    let ok = "250 2.1.5";
    assert_eq!(recipients, [ok, ok, ok, ok, ok, "452 4.5.3", ok]);
    assert_eq!(room.mails()[0].recipients.len(), 3);
}

#[tokio::test]
async fn copies_of_a_large_message_are_bounded() {
    let room = Room::new();
    let limited = || ServerOptions { max_copies_bytes: 1200, ..options() };
    let envelope = |size: &str| {
        format!("EHLO c\r\nMAIL FROM:<>{size}\r\n")
            + &["a", "b", "c"].map(|name| format!("RCPT TO:<{name}@here.example>\r\n")).concat()
    };
    // A client that declares the size hears at once how many recipients the message may have.
    let declared = codes(&room, limited(), envelope(" SIZE=500")).await;
    assert_eq!(declared, ["250", "250", "250", "250", "452"]);
    let small = codes(&room, limited(), envelope(" SIZE=400")).await;
    assert_eq!(small, ["250", "250", "250", "250", "250"]);
    // Others hear it behind the content; nothing is stored.
    let content = "DATA\r\n".to_owned() + &"x".repeat(498) + "\r\n.\r\n";
    let undeclared = codes(&room, limited(), envelope("") + &content).await;
    assert_eq!(undeclared, ["250", "250", "250", "250", "250", "354", "452"]);
    assert!(room.mails().is_empty());
    // One recipient is always allowed.
    let one = "EHLO c\r\nMAIL FROM:<> SIZE=900\r\nRCPT TO:<a@here.example>\r\nRCPT TO:<b@here.example>\r\n".to_owned();
    assert_eq!(
        codes(&room, ServerOptions { max_copies_bytes: 800, ..options() }, one).await,
        ["250", "250", "250", "452"]
    );
}

#[tokio::test]
async fn nonsense_is_answered_a_few_times() {
    let replies = codes(&Room::new(), options(), "WHAT\r\n".repeat(100)).await;
    let mut expected = vec!["500"; 20];
    expected.push("421");
    assert_eq!(replies, expected);
}

#[tokio::test]
async fn small_talk_ends_the_session_and_mail_makes_up_for_it() {
    let limited = || ServerOptions { max_commands: 10, ..options() };
    for errand in ["NOOP", "RSET", "HELP", "VRFY a", "EHLO c"] {
        let replies = codes(&Room::new(), limited(), format!("{errand}\r\n").repeat(50)).await;
        assert_eq!((replies.len(), replies.last().map(String::as_str)), (11, Some("421")), "{errand}");
    }
    let mails = format!("{ENVELOPE}DATA\r\nhi\r\n.\r\n").repeat(20);
    let room = Room::new();
    assert!(!codes(&room, limited(), mails).await.contains(&"421".to_owned()));
    assert_eq!(room.mails().len(), 20);
}

#[tokio::test]
async fn guessing_addresses_ends_the_session() {
    let limited = ServerOptions { max_unknown_recipients: 2, ..options() };
    let input = format!("EHLO c\r\nMAIL FROM:<>\r\n{}", "RCPT TO:<unknown@here.example>\r\n".repeat(5));
    assert_eq!(codes(&Room::new(), limited, input).await, ["250", "250", "550", "550", "421"]);
}

#[tokio::test(start_paused = true)]
async fn a_silent_client_is_sent_away() {
    for (hello, seconds) in [("", 30), ("EHLO c\r\n", 300)] {
        let mut client = Client::greeted(&Room::new(), options()).await;
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
async fn dripping_a_command_gains_nothing() {
    let mut client = Client::greeted(&Room::new(), options()).await;
    client.say("EHLO c").await;
    let before = Instant::now();
    for _ in 0..5 {
        client.send("x").await;
        tokio::time::sleep(Duration::from_mins(1)).await;
    }
    assert!(client.reply().await.starts_with("421 4.4.2 "));
    assert_eq!(before.elapsed().as_secs(), 300);
}

#[tokio::test(start_paused = true)]
async fn a_mail_that_stops_coming_is_not_stored() {
    let room = Room::new();
    let mut client = Client::greeted(&room, options()).await;
    client.send(format!("{ENVELOPE}DATA\r\nhalf a mail\r\n")).await;
    for _ in 0..4 {
        client.reply().await;
    }
    let before = Instant::now();
    assert!(client.reply().await.starts_with("421 4.4.2 "));
    assert_eq!(before.elapsed().as_secs(), 60);
    assert!(room.mails().is_empty());
}

#[tokio::test(start_paused = true)]
async fn commands_before_hello_do_not_extend_the_greeting_time_out() {
    let mut client = Client::greeted(&Room::new(), options()).await;
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
    let room = Room::new();
    let large = ServerOptions { max_message_bytes: 1_000_000, ..options() };
    for (begin, drip) in
        [("DATA\r\n", "x"), ("BDAT 100000\r\n", "x"), ("BDAT 1\r\nx", "BDAT 1\r\nx"), ("BDAT 1\r\nx", "NOOP\r\n")]
    {
        let mut client = Client::greeted(&room, large.clone()).await;
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
        assert!(text.contains("421 4.4.2 the message came too slowly"), "{begin:?}: {text}");
        assert!((60..63).contains(&before.elapsed().as_secs()), "{begin:?}: {:?}", before.elapsed());
        drop(output);
        dripping.await.unwrap();
    }
    assert!(room.mails().is_empty());
}

#[tokio::test(start_paused = true)]
async fn message_at_the_required_rate_is_stored() {
    let room = Room::new();
    let large = ServerOptions { max_message_bytes: 1_000_000, ..options() };
    let mut client = Client::greeted(&room, large).await;
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
    assert_eq!(room.mails()[0].raw.len(), 300 * line.len());
}

#[tokio::test(start_paused = true)]
async fn no_session_lasts_for_ever() {
    let mut client = Client::greeted(&Room::new(), options()).await;
    client.say("EHLO c").await;
    let before = Instant::now();
    let reply = loop {
        // The session may have closed while we slept.
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
async fn a_lookup_that_hangs_is_answered() {
    let mut client = Client::greeted(&Room::new(), options()).await;
    client.say("EHLO c").await;
    client.say("MAIL FROM:<>").await;
    assert!(client.say("RCPT TO:<slow@here.example>").await.starts_with("451 4.3.0 "));
}

#[tokio::test(start_paused = true)]
async fn storage_that_hangs_is_answered() {
    let mut room = Room::answering(ReceiveAnswer::Stored);
    room.delay = Duration::from_hours(3);
    let mut client = Client::greeted(&Arc::new(room), options()).await;
    client.send(format!("{ENVELOPE}DATA\r\n.\r\n")).await;
    for _ in 0..4 {
        client.reply().await;
    }
    assert!(client.reply().await.starts_with("451 4.3.0 "));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_hangs_up_does_not_cancel_the_storing() {
    let mut room = Room::answering(ReceiveAnswer::Stored);
    room.delay = Duration::from_secs(10);
    let room = Arc::new(room);
    let mut client = Client::greeted(&room, options()).await;
    client.send(format!("{ENVELOPE}DATA\r\nhi\r\n.\r\n")).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    drop(client.stream);
    client.session.abort();
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert_eq!(room.mails().len(), 1);
}

#[tokio::test]
async fn a_client_that_goes_in_the_middle_of_a_mail_leaves_nothing() {
    for content in ["", "half", "half\r\n", "half\r\n.", "half\r\n.\r"] {
        let room = Room::new();
        codes(&room, options(), format!("{ENVELOPE}DATA\r\n{content}")).await;
        assert!(room.mails().is_empty(), "{content:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_nothing_is_dropped() {
    let room = Room::new();
    let client = Client::begin(&room, options());
    let (unread, mut far) = tokio::io::split(client.stream);
    let sender = tokio::spawn(async move { while far.write_all(&b"HELP\r\n".repeat(100)).await.is_ok() {} });
    client.session.await.unwrap();
    drop(unread);
    sender.await.unwrap();
}

#[tokio::test]
async fn an_idle_session_hears_that_the_server_stops() {
    let mut client = Client::greeted(&Room::new(), options()).await;
    client.say("EHLO c").await;
    client.stop.send_replace(true);
    assert!(client.reply().await.starts_with("421 4.3.2 "));
    assert_eq!(client.reply().await, "");
}

#[tokio::test]
async fn a_mail_on_its_way_is_answered_before_the_server_stops() {
    let room = Room::new();
    let mut client = Client::greeted(&room, options()).await;
    client.send(format!("{ENVELOPE}DATA\r\nhalf")).await;
    for _ in 0..4 {
        client.reply().await;
    }
    client.stop.send_replace(true);
    client.send("\r\n.\r\nNOOP\r\n").await;
    assert_eq!(client.reply().await, "250 2.0.0 stored");
    assert!(client.reply().await.starts_with("421 4.3.2 "));
    assert_eq!(room.mails().len(), 1);
}

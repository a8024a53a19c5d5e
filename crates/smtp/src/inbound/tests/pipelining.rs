//! Pipelined commands and single bytes.

use std::time::Duration;

use tokio::io::AsyncReadExt;

use super::support::{ENVELOPE, StubMailroom, TestClient, codes, options};

fn conversation() -> String {
    format!(
        "{ENVELOPE}RCPT TO:<unknown@here.example>\r\nDATA\r\n..a\r\n.\r\n\
         MAIL FROM:<>\r\nRCPT TO:<scout@here.example>\r\nBDAT 3 LAST\r\nb\r\nNOOP\r\nQUIT\r\n"
    )
}

const ANSWERS: [&str; 11] = ["250", "250", "250", "550", "354", "250", "250", "250", "250", "250", "221"];

#[tokio::test]
async fn commands_in_one_write_are_executed() {
    let mailroom = StubMailroom::new();
    assert_eq!(codes(&mailroom, options(), conversation()).await, ANSWERS);
    assert_eq!(mailroom.mails()[0].raw, b".a\r\n");
    assert_eq!(mailroom.mails()[1].raw, b"b\r\n");
}

#[tokio::test]
async fn commands_in_single_bytes_are_executed() {
    let mailroom = StubMailroom::new();
    let mut client = TestClient::greeted(&mailroom, options()).await;
    let mut answers = Vec::new();
    for byte in conversation().into_bytes() {
        client.send([byte]).await;
        tokio::task::yield_now().await;
    }
    for _ in ANSWERS {
        answers.push(client.reply().await.lines().last().unwrap()[..3].to_owned());
    }
    assert_eq!(answers, ANSWERS);
    assert_eq!(mailroom.mails().len(), 2);
}

#[tokio::test]
async fn pipelined_replies_are_sent_together() {
    let mut client = TestClient::greeted(&StubMailroom::new(), options()).await;
    client.send("NOOP\r\nNOOP\r\nVRFY a\r\nNO").await;
    let mut buffer = [0; 1024];
    let read = client.stream.read(&mut buffer).await.unwrap();
    assert_eq!(str::from_utf8(&buffer[..read]).unwrap().lines().count(), 3);
    // A partial command does not delay the replies to earlier ones.
    client.send("OP\r\n").await;
    assert_eq!(client.reply().await, "250 2.0.0 ok");
}

#[tokio::test]
async fn command_before_greeting_is_executed() {
    let mut client = TestClient::begin(&StubMailroom::new(), options());
    client.send("EHLO c\r\n").await;
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert!(client.reply().await.starts_with("220 "));
    assert!(client.reply().await.starts_with("250-"));
}

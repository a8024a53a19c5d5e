//! Many commands at once, and one octet at a time.

use std::time::Duration;

use tokio::io::AsyncReadExt;

use super::support::{Client, ENVELOPE, Room, codes, options};

fn conversation() -> String {
    format!(
        "{ENVELOPE}RCPT TO:<unknown@here.example>\r\nDATA\r\n..a\r\n.\r\n\
         MAIL FROM:<>\r\nRCPT TO:<scout@here.example>\r\nBDAT 3 LAST\r\nb\r\nNOOP\r\nQUIT\r\n"
    )
}

const ANSWERS: [&str; 11] = ["250", "250", "250", "550", "354", "250", "250", "250", "250", "250", "221"];

#[tokio::test]
async fn everything_in_one_write() {
    let room = Room::new();
    assert_eq!(codes(&room, options(), conversation()).await, ANSWERS);
    assert_eq!(room.mails()[0].raw, b".a\r\n");
    assert_eq!(room.mails()[1].raw, b"b\r\n");
}

#[tokio::test]
async fn one_octet_at_a_time() {
    let room = Room::new();
    let mut client = Client::greeted(&room, options()).await;
    let mut answers = Vec::new();
    for octet in conversation().into_bytes() {
        client.send([octet]).await;
        tokio::task::yield_now().await;
    }
    for _ in ANSWERS {
        answers.push(client.reply().await.lines().last().unwrap()[..3].to_owned());
    }
    assert_eq!(answers, ANSWERS);
    assert_eq!(room.mails().len(), 2);
}

#[tokio::test]
async fn replies_to_commands_sent_together_come_together() {
    let mut client = Client::greeted(&Room::new(), options()).await;
    client.send("NOOP\r\nNOOP\r\nVRFY a\r\nNO").await;
    let mut buffer = [0; 1024];
    let read = client.stream.read(&mut buffer).await.unwrap();
    assert_eq!(str::from_utf8(&buffer[..read]).unwrap().lines().count(), 3);
    // Half a command is not waited for before the others are answered.
    client.send("OP\r\n").await;
    assert_eq!(client.reply().await, "250 2.0.0 ok");
}

#[tokio::test]
async fn a_client_that_speaks_before_the_greeting_is_answered() {
    let mut client = Client::begin(&Room::new(), options());
    client.send("EHLO c\r\n").await;
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert!(client.reply().await.starts_with("220 "));
    assert!(client.reply().await.starts_with("250-"));
}

//! What is too much.

use inboxd_testkit::Request;

use crate::support::{mail_to, options, server_and_agent};

const FROM: &str = "alice@outside.example";

#[tokio::test]
async fn a_mail_that_is_too_large_is_refused_as_soon_as_it_is_known() {
    let server = options().set("INBOXD_MAX_MESSAGE_BYTES", "100000").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let mut client = server.smtp().await;
    let ehlo = client.ehlo().await;
    assert!(ehlo.lines.contains(&"SIZE 100000".to_owned()), "{ehlo:?}");
    client.command(&format!("MAIL FROM:<{FROM}> SIZE=100001")).await.is(552, "5.3.4");
    // One that does not say so is refused when it is over, and the session goes on.
    let large = format!("Subject: large\r\n\r\n{}", "0123456789abcdef\r\n".repeat(7_000));
    client.deliver(FROM, &[&agent.inbox_id], large.as_bytes()).await.is(552, "5.3.4");
    client.command("RSET").await.is(250, "2");
    client.deliver(FROM, &[&agent.inbox_id], &mail_to(&agent, "small").raw()).await.is(250, "2");
    assert_eq!(agent.messages().await.len(), 1);
}

#[tokio::test]
async fn a_mail_has_at_most_a_hundred_recipients() {
    let (server, agent) = server_and_agent().await;
    let mut client = server.smtp().await;
    client.ehlo().await;
    client.command(&format!("MAIL FROM:<{FROM}>")).await.is(250, "2");
    for number in 0..100 {
        client.command(&format!("RCPT TO:<scout+{number}@signup.inboxd.localhost>")).await.is(250, "2");
    }
    client.command("RCPT TO:<scout+100@signup.inboxd.localhost>").await.is(452, "4.5.3");
    client.command("DATA").await;
    client.write(b"Subject: hundred\r\n\r\nx\r\n.\r\n").await;
    client.reply().await.is(250, "2");
    assert_eq!(agent.messages().await.len(), 1);
}

#[tokio::test]
async fn a_line_that_does_not_end_is_cut_off() {
    let (server, agent) = server_and_agent().await;
    let mut client = server.smtp().await;
    client.ehlo().await;
    let reply = client.command(&format!("MAIL FROM:<{}@outside.example>", "a".repeat(100_000))).await;
    assert!([500, 501, 421].contains(&reply.code), "{reply:?}");
    server.deliver(FROM, &[&agent.inbox_id], mail_to(&agent, "alive").raw()).await.is(250, "2");
}

#[tokio::test]
async fn a_mail_of_thirty_megabytes_comes_back_whole() {
    let (server, agent) = server_and_agent().await;
    let content: Vec<u8> =
        (0..20_000_000_u32).map(|place| place.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
    let mail = mail_to(&agent, "large").attach("large.bin", "application/octet-stream", &content).raw();
    assert!(mail.len() > 27_000_000, "{}", mail.len());
    server.deliver(FROM, &[&agent.inbox_id], mail).await.is(250, "2.0.0");
    let message = agent.message_about("large").await;
    assert_eq!(message["attachments"][0]["size"], content.len());
    let id = message["attachments"][0]["attachment_id"].as_str().unwrap();
    let path = agent.message(&message["message_id"], &format!("/attachments/{id}"));
    let downloaded = agent.call(Request::new("GET", &path).header("Accept", "application/octet-stream")).await;
    assert!(downloaded.body == content, "{} octets came back", downloaded.body.len());
}

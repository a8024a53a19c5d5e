//! SMTP limits.

use inboxd_testkit::HttpRequest;

use crate::support::{mail_to, options, server_and_agent};

const FROM: &str = "alice@outside.example";

#[tokio::test]
async fn too_large_mail_is_refused_at_declared_size() {
    let server = options().set("INBOXD_MAX_MESSAGE_BYTES", "100000").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let mut client = server.smtp().await;
    let ehlo = client.ehlo().await;
    assert!(ehlo.lines.contains(&"SIZE 100000".to_owned()), "{ehlo:?}");
    client.command(&format!("MAIL FROM:<{FROM}> SIZE=100001")).await.require_code(552, "5.3.4");
    // Without a declared size it is refused after its end, and the session continues.
    let large = format!("Subject: large\r\n\r\n{}", "0123456789abcdef\r\n".repeat(7_000));
    client.deliver(FROM, &[&agent.inbox_id], large.as_bytes()).await.require_code(552, "5.3.4");
    client.command("RSET").await.require_code(250, "2");
    client.deliver(FROM, &[&agent.inbox_id], &mail_to(&agent, "small").raw()).await.require_code(250, "2");
    assert_eq!(agent.messages().await.len(), 1);
}

#[tokio::test]
async fn mail_above_100_recipients_is_refused() {
    let (server, agent) = server_and_agent().await;
    let mut client = server.smtp().await;
    client.ehlo().await;
    client.command(&format!("MAIL FROM:<{FROM}>")).await.require_code(250, "2");
    for number in 0..100 {
        client.command(&format!("RCPT TO:<scout+{number}@signup.inboxd.localhost>")).await.require_code(250, "2");
    }
    client.command("RCPT TO:<scout+100@signup.inboxd.localhost>").await.require_code(452, "4.5.3");
    client.command("DATA").await;
    client.write(b"Subject: hundred\r\n\r\nx\r\n.\r\n").await;
    client.reply().await.require_code(250, "2");
    assert_eq!(agent.messages().await.len(), 1);
}

#[tokio::test]
async fn endless_line_closes_session() {
    let (server, agent) = server_and_agent().await;
    let mut client = server.smtp().await;
    client.ehlo().await;
    let reply = client.command(&format!("MAIL FROM:<{}@outside.example>", "a".repeat(100_000))).await;
    assert!([500, 501, 421].contains(&reply.code), "{reply:?}");
    server.deliver(FROM, &[&agent.inbox_id], mail_to(&agent, "alive").raw()).await.require_code(250, "2");
}

#[tokio::test]
async fn mail_of_thirty_megabytes_is_returned_complete() {
    let (server, agent) = server_and_agent().await;
    let piece: Vec<u8> = (0..100_000_u32).map(|place| place.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
    // The number of a piece shows whether it stays at its place.
    let content = (0..200_u8).map(|number| [&[number], &*piece].concat()).collect::<Vec<_>>().concat();
    let mail = mail_to(&agent, "large").attach("large.bin", "application/octet-stream", &content).raw();
    assert!(mail.len() > 27_000_000, "{}", mail.len());
    server.deliver(FROM, &[&agent.inbox_id], mail).await.require_code(250, "2.0.0");
    let message = agent.message_about("large").await;
    assert_eq!(message["attachments"][0]["size"], content.len());
    let id = message["attachments"][0]["attachment_id"].as_str().unwrap();
    let path = agent.message(&message["message_id"], &format!("/attachments/{id}"));
    let downloaded = agent.call(HttpRequest::new("GET", &path).header("Accept", "application/octet-stream")).await;
    assert!(downloaded.body == content, "{} bytes returned", downloaded.body.len());
}

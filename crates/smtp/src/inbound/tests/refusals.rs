//! Refusals that sessions note for recipients.

use std::sync::Arc;

use inboxd_core::app::NotReceived;
use inboxd_core::model::{RefusedMail, SmtpStage};
use inboxd_core::ports::IntakeHold;
use inboxd_mail::EmailAddress;

use super::support::{CLIENT, StubMailroom, TestClient, away, options, stored};

/// Runs a session of these commands, and returns what it noted.
async fn noted(mailroom: StubMailroom, commands: &str) -> Vec<RefusedMail> {
    let mailroom = Arc::new(mailroom);
    let mut client = TestClient::greeted(&mailroom, options()).await;
    client.send(format!("{commands}QUIT\r\n")).await;
    while !client.reply().await.is_empty() {}
    client.session.await.unwrap();
    mailroom.refusals()
}

fn summary(refusals: &[RefusedMail]) -> Vec<(&str, SmtpStage, u16, &str)> {
    refusals.iter().map(|mail| (mail.recipient.as_str(), mail.stage, mail.code, mail.status)).collect()
}

fn accepting() -> StubMailroom {
    StubMailroom::returning(Ok(stored()))
}

const MAIL: &str = "EHLO client.example\r\nMAIL FROM:<Anna@out.example>\r\n";

#[tokio::test]
async fn refused_recipient_is_noted_with_its_session() {
    let noted = noted(accepting(), &format!("{MAIL}RCPT TO:<busy@here.example>\r\n")).await;
    let sender: EmailAddress = "Anna@out.example".parse().unwrap();
    let expected = RefusedMail {
        client: CLIENT,
        helo: "client.example".to_owned(),
        envelope_from: Some(sender),
        recipient: "busy@here.example".parse().unwrap(),
        stage: SmtpStage::Recipient,
        code: 451,
        status: "4.3.0",
        reply: "the recipient lookup failed; try again later".to_owned(),
    };
    assert_eq!(noted, [expected]);
}

#[tokio::test]
async fn unknown_recipients_faults_and_stored_mail_are_not_noted() {
    let commands = format!(
        "RCPT TO:<inbox@here.example>\r\n{MAIL}RCPT TO:<unknown@here.example>\r\nRCPT TO:<>\r\nRCPT TO:<inbox@here.example> X=1\r\n\
         DATA\r\nRCPT TO:<inbox@here.example>\r\nDATA\r\nhello\r\n.\r\n"
    );
    assert_eq!(noted(accepting(), &commands).await, []);
}

#[tokio::test]
async fn refused_content_is_noted_for_each_inbox() {
    let paused = NotReceived::Deferred { address: "inbox@here.example".parse().unwrap(), hold: IntakeHold::Paused };
    let envelope = format!(
        "{MAIL}RCPT TO:<inbox@here.example>\r\nRCPT TO:<inbox2@here.example>\r\nRCPT TO:<path@here.example>\r\n"
    );
    let large = "x".repeat(2000);
    let table = [
        (StubMailroom::returning(Err(paused)), "DATA\r\nhello\r\n.\r\n".to_owned(), 450, "4.2.1"),
        (StubMailroom::returning(Err(away())), "BDAT 5 LAST\r\nhello".to_owned(), 451, "4.3.0"),
        (accepting(), format!("DATA\r\n{large}\r\n.\r\n"), 552, "5.3.4"),
        (accepting(), format!("BDAT 2000\r\n{large}"), 552, "5.3.4"),
        (accepting(), "DATA\r\na\nb\r\n.\r\n".to_owned(), 554, "5.6.0"),
    ];
    for (mailroom, content, code, status) in table {
        let noted = noted(mailroom, &format!("{envelope}{content}")).await;
        let of = |recipient| (recipient, SmtpStage::Content, code, status);
        assert_eq!(summary(&noted), [of("inbox@here.example"), of("inbox2@here.example")], "{content:.40}");
    }
}

//! STARTTLS with the mail client of the Python standard library.

use std::process::Output;

use inboxd_testkit::{HttpRequest, SmtpClient, TestServer, eventually};
use tokio::process::Command;

use crate::support::{options, server_and_agent};

/// Sends a mail under TLS.
async fn send(server: &TestServer, recipient: &str, subject: &str, root: Option<&str>) -> Output {
    let (host, port) = server.smtp_address().rsplit_once(':').unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/smtp/starttls.py");
    let mut command = Command::new("python3");
    command.args([script, host, port, recipient, subject]).args(root);
    command.output().await.unwrap()
}

fn has_succeeded(output: &Output) -> bool {
    output.status.success() && String::from_utf8_lossy(&output.stdout).starts_with("TLSv1.3")
}

#[tokio::test]
async fn tls_is_offered_without_configuration() {
    let (server, agent) = server_and_agent().await;
    let output = send(&server, &agent.inbox_id, "sealed", None).await;
    assert!(has_succeeded(&output), "{output:?}");
    let message = agent.message_about("sealed").await;
    let wanted =
        HttpRequest::new("GET", &agent.message(&message["message_id"], "/raw")).header("Accept", "message/rfc822");
    let raw = String::from_utf8(agent.call(wanted).await.body).unwrap();
    assert!(raw.contains(" ESMTPS"), "{raw}");
}

#[tokio::test]
async fn configured_certificate_is_used_and_replaced_without_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let write = |name: &str| {
        let made = rcgen::generate_simple_self_signed(["mx.inboxd.test".to_owned()]).unwrap();
        std::fs::write(path("cert.pem"), made.cert.pem()).unwrap();
        std::fs::write(path("key.pem"), made.signing_key.serialize_pem()).unwrap();
        std::fs::write(path(name), made.cert.pem()).unwrap();
    };
    write("first.pem");
    let options = options().set("INBOXD_SMTP_TLS_CERT", path("cert.pem")).set("INBOXD_SMTP_TLS_KEY", path("key.pem"));
    let server = options.start().await;
    let agent = server.verified("anna@example.org", "scout").await;
    let first = path("first.pem");
    let output = send(&server, &agent.inbox_id, "first", Some(&first)).await;
    assert!(has_succeeded(&output), "{output:?}");

    write("second.pem");
    let second = path("second.pem");
    eventually("the new certificate is in use", async || {
        has_succeeded(&send(&server, &agent.inbox_id, "second", Some(&second)).await).then_some(())
    })
    .await;
    assert!(!has_succeeded(&send(&server, &agent.inbox_id, "never", Some(&first)).await), "the old one is unused");
}

#[tokio::test]
async fn listener_requiring_tls_refuses_plaintext() {
    let server = options().set("INBOXD_SMTP_ADDR", "127.0.0.1:0?tls=required").start().await;
    let agent = server.verified("anna@example.org", "scout").await;
    let mut plain = SmtpClient::connect(server.smtp_address()).await;
    assert_eq!(plain.ehlo().await.code, 250);
    plain.command("MAIL FROM:<anna@example.org>").await.require_code(530, "5.7.0");
    assert!(has_succeeded(&send(&server, &agent.inbox_id, "sealed", None).await));
    agent.message_about("sealed").await;
}

//! STARTTLS sessions.

use std::sync::Arc;

use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::TlsConnector;

use super::support::{StubMailroom, TestClient, codes, options, talk};
use crate::inbound::state::ServerContext;
use crate::inbound::{MailHandler, ServerOptions};

/// Returns a server with a certificate for mx.here.example, and a client that trusts it.
fn certificate() -> (Arc<ServerConfig>, Arc<ClientConfig>) {
    let made = rcgen::generate_simple_self_signed(["mx.here.example".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let certificate = made.cert.der().clone();
    let provider = || Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let server = ServerConfig::builder_with_provider(provider()).with_safe_default_protocol_versions().unwrap();
    let server = server.with_no_client_auth().with_single_cert(vec![certificate.clone()], key).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(certificate).unwrap();
    let client = ClientConfig::builder_with_provider(provider()).with_safe_default_protocol_versions().unwrap();
    (Arc::new(server), Arc::new(client.with_root_certificates(roots).with_no_client_auth()))
}

fn secured() -> (ServerOptions, TlsConnector) {
    let (server, client) = certificate();
    (ServerOptions { tls: Some(server), ..options() }, TlsConnector::from(client))
}

#[tokio::test]
async fn message_under_tls_is_stored() {
    let mailroom = StubMailroom::new();
    let (options, connector) = secured();
    let mut client = TestClient::greeted(&mailroom, options).await;
    assert!(client.command("EHLO c").await.ends_with("250 STARTTLS"));
    assert_eq!(client.command("STARTTLS").await, "220 2.0.0 ready for TLS");
    let name = ServerName::try_from("mx.here.example").unwrap();
    let mut stream = connector.connect(name, client.stream).await.unwrap();
    let input = "EHLO d\r\nMAIL FROM:<>\r\nRCPT TO:<scout@here.example>\r\nSTARTTLS\r\nDATA\r\n.\r\nQUIT\r\n";
    stream.write_all(input.as_bytes()).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    assert!(!text.contains("STARTTLS"), "not offered a second time: {text}");
    assert!(text.contains("\r\n503 5.5.1 TLS is already active"), "{text}");
    assert!(text.contains("250 2.0.0 stored\r\n221 "), "{text}");
    assert_eq!(mailroom.mails()[0].client.as_ref().unwrap().protocol, "ESMTPS");
    assert_eq!(mailroom.mails()[0].client.as_ref().unwrap().helo, "d");
}

#[tokio::test]
async fn commands_before_tls_are_void() {
    let mailroom = StubMailroom::new();
    let (options, connector) = secured();
    let mut client = TestClient::greeted(&mailroom, options).await;
    client.command("EHLO c").await;
    client.command("MAIL FROM:<>").await;
    client.command("STARTTLS").await;
    let name = ServerName::try_from("mx.here.example").unwrap();
    let mut stream = connector.connect(name, client.stream).await.unwrap();
    stream.write_all(b"RCPT TO:<scout@here.example>\r\nMAIL FROM:<>\r\nQUIT\r\n").await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    let codes: Vec<_> = text.lines().map(|line| &line[..3]).collect();
    assert_eq!(codes, ["503", "503", "221"]);
}

#[tokio::test]
async fn commands_injected_before_tls_are_dropped() {
    let mailroom = StubMailroom::new();
    let (options, connector) = secured();
    let mut client = TestClient::greeted(&mailroom, options).await;
    client.command("EHLO c").await;
    client.send("STARTTLS\r\nEHLO evil\r\nMAIL FROM:<evil@out.example>\r\n").await;
    assert_eq!(client.reply().await, "220 2.0.0 ready for TLS");
    let name = ServerName::try_from("mx.here.example").unwrap();
    let mut stream = connector.connect(name, client.stream).await.unwrap();
    stream.write_all(b"RCPT TO:<scout@here.example>\r\nQUIT\r\n").await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    let codes: Vec<_> = text.lines().map(|line| &line[..3]).collect();
    assert_eq!(codes, ["503", "221"], "injected commands have no reply and no effect");
}

#[tokio::test]
async fn starttls_without_ehlo_is_503() {
    let (options, _) = secured();
    assert_eq!(codes(&StubMailroom::new(), options, "STARTTLS\r\n").await, ["503"]);
}

#[tokio::test]
async fn client_without_tls_handshake_is_dropped() {
    let mailroom = StubMailroom::new();
    let (options, _) = secured();
    let input = "EHLO c\r\nSTARTTLS\r\nthis is no client hello, far from it".to_owned();
    let mut client = TestClient::greeted(&mailroom, options).await;
    client.command("EHLO c").await;
    client.command("STARTTLS").await;
    client.send(&input).await;
    client.session.await.unwrap();
    let (options, _) = secured();
    let replies = talk(&mailroom, options, "EHLO c\r\nSTARTTLS\r\n").await;
    assert_eq!(replies.last().unwrap(), "220 2.0.0 ready for TLS");
}

#[tokio::test]
async fn listener_with_required_tls_refuses_earlier_commands() {
    let mailroom = StubMailroom::new();
    let (options, connector) = secured();
    let server =
        ServerContext::new(Arc::clone(&mailroom) as Arc<dyn MailHandler>, Arc::new(options)).requiring_tls(true);
    let mut client = TestClient::behind(server.clone());
    assert!(client.reply().await.starts_with("220 "));
    for refused in ["HELO c", "MAIL FROM:<>", "RCPT TO:<scout@here.example>", "DATA", "VRFY x", "AUTH PLAIN"] {
        assert_eq!(client.command(refused).await, "530 5.7.0 TLS is required here; send STARTTLS first", "{refused}");
    }
    for (taken, code) in [("NOOP", "250"), ("HELP", "214"), ("RSET", "250"), ("EHLO c", "250"), ("STARTTLS", "220")] {
        assert!(client.command(taken).await.starts_with(code), "{taken}");
    }
    let name = ServerName::try_from("mx.here.example").unwrap();
    let mut stream = connector.connect(name, client.stream).await.unwrap();
    let input = "EHLO d\r\nMAIL FROM:<>\r\nRCPT TO:<scout@here.example>\r\nDATA\r\n.\r\nQUIT\r\n";
    stream.write_all(input.as_bytes()).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    assert!(text.contains("250 2.0.0 stored\r\n221 "), "{text}");

    let mut client = TestClient::behind(server);
    client.reply().await;
    assert!(client.command("BDAT 5 LAST").await.starts_with("530 5.7.0"));
    client.session.await.unwrap();
}

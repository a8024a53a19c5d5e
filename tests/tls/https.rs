//! HTTPS with HTTP/1.1 and HTTP/2.

use std::time::Duration;

use inboxd_testkit::{HttpClient, HttpRequest, eventually};
use serde_json::json;
use tokio::io::AsyncReadExt;

use super::{CertificateFolder, NAME, client, curl, tls_options};
use crate::support::{mail_to, receive};

#[tokio::test]
async fn api_serves_http1_and_http2_with_hsts() {
    let certificate = CertificateFolder::new();
    let server = certificate.options().start().await;
    let agent = server.verified("anna@example.org", "scout").await;
    for (version, status) in [("--http1.1", "HTTP/1.1 200"), ("--http2", "HTTP/2 200")] {
        let response = curl(&server, &certificate, NAME, &[version, "{base}/health"]).await;
        assert!(response.starts_with(status), "{response}");
        assert!(response.to_lowercase().contains("\r\nstrict-transport-security: max-age=31536000\r\n"), "{response}");
        let key = format!("Authorization: Bearer {}", agent.key);
        let subject = format!("by {version}");
        let body = json!({"to": "bob@outside.example", "subject": subject, "text": "hello"}).to_string();
        let send = format!("{{base}}/v0/inboxes/{}/messages/send", agent.inbox_id);
        let response = curl(&server, &certificate, NAME, &[version, "-H", &key, &send, "--json", &body]).await;
        assert!(response.contains("\"message_id\""), "{response}");
        agent.message_about(&subject).await;
    }
    let plain = server.http().get("/health").await;
    assert_eq!((plain.status, plain.header("Strict-Transport-Security")), (200, None));
}

#[tokio::test]
async fn large_request_and_response_pass_over_http2() {
    let certificate = CertificateFolder::new();
    let server = certificate.options().start().await;
    let agent = server.verified("anna@example.org", "scout").await;
    let text = "0123456789abcde\n".repeat(200_000);
    let file = certificate.path("body.json");
    std::fs::write(&file, json!({"to": "bob@outside.example", "subject": "large", "text": text}).to_string()).unwrap();
    let key = format!("Authorization: Bearer {}", agent.key);
    let send = format!("{{base}}/v0/inboxes/{}/messages/send", agent.inbox_id);
    let body = format!("@{}", file.display());
    let response = curl(&server, &certificate, NAME, &["--http2", "-H", &key, &send, "--json", &body]).await;
    assert!(response.starts_with("HTTP/2 200"), "{response}");
    let message = agent.message_about("large").await;
    let path = format!("{{base}}{}", agent.message(&message["message_id"], ""));
    let response = curl(&server, &certificate, NAME, &["--http2", "-H", &key, &path]).await;
    assert!(response.starts_with("HTTP/2 200") && response.len() > text.len(), "{}", response.len());
}

#[tokio::test]
async fn http2_connection_multiplexes_requests() {
    let certificate = CertificateFolder::new();
    let server = certificate.options().start().await;
    let many = "{base}/health?[1-150]";
    let response = curl(&server, &certificate, NAME, &["--http2", "--parallel", "--parallel-max", "150", many]).await;
    assert_eq!(response.matches("HTTP/2 200").count(), 150);
    // More responses without a body than a client may leave unread, which this client reads.
    let many = "{base}/health?[1-700]";
    let arguments = ["--http2", "--head", "--parallel", "--parallel-max", "150", many];
    let response = curl(&server, &certificate, NAME, &arguments).await;
    assert_eq!(response.matches("HTTP/2 200").count(), 700);
}

#[tokio::test]
async fn sockets_and_event_streams_work_over_tls() {
    let certificate = CertificateFolder::new();
    let server = certificate.options().start().await;
    let agent = server.verified("anna@example.org", "scout").await;
    let tunnel = client(&server, &certificate.pem()).tunnel().await;
    let secure: HttpClient = tunnel.http().with_key(&agent.key);
    let (mut socket, _) = secure.open_subscribed_socket(json!({})).await;
    let url = "{base}/v0/events".to_owned();
    let key = format!("Authorization: Bearer {}", agent.key);
    let arguments = ["--http2", "-N", "-H", &key, "-H", "Accept: text/event-stream", "--max-time", "4", &url];
    let (streamed, event) = tokio::join!(stream(&server, &certificate, &arguments), async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        receive(&server, &agent, &mail_to(&agent, "over TLS")).await;
        socket.next_event().await
    });
    assert_eq!(event["event_type"], "message.received", "{event:#}");
    assert!(streamed.starts_with("HTTP/2 200") && streamed.contains("over TLS"), "{streamed}");
}

/// Reads a stream until the time limit of curl.
async fn stream(server: &inboxd_testkit::TestServer, certificate: &CertificateFolder, arguments: &[&str]) -> String {
    let port = server.https_address().rsplit_once(':').unwrap().1;
    let mut child = tokio::process::Command::new("curl")
        .args(["-sS", "-i", "--resolve", &format!("{NAME}:{port}:127.0.0.1"), "--cacert"])
        .arg(certificate.path("cert.pem"))
        .args(arguments.iter().map(|argument| argument.replace("{base}", &format!("https://{NAME}:{port}"))))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).await.unwrap();
    child.wait().await.unwrap();
    text
}

#[tokio::test]
async fn replaced_certificate_is_served_by_api_and_smtp() {
    let certificate = CertificateFolder::new();
    let server = certificate.options().start().await;
    let agent = server.verified("anna@example.org", "scout").await;
    let old = certificate.pem();
    client(&server, &old).connect().await.unwrap();
    starttls(&server, &agent.inbox_id, &certificate).await.unwrap();
    let new = certificate.write(NAME);
    eventually("the new certificate is served", async || client(&server, &new).connect().await.ok()).await;
    assert!(client(&server, &old).connect().await.is_err(), "the old one is unused");
    starttls(&server, &agent.inbox_id, &certificate).await.unwrap();
}

/// Sends a mail under STARTTLS to a server that must have the certificate of the folder.
async fn starttls(
    server: &inboxd_testkit::TestServer,
    recipient: &str,
    certificate: &CertificateFolder,
) -> Result<(), String> {
    let (host, port) = server.smtp_address().rsplit_once(':').unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/smtp/starttls.py");
    let mut command = tokio::process::Command::new("python3");
    command.args([script, host, port, recipient, "sealed"]).arg(certificate.path("cert.pem"));
    let output = command.env("STARTTLS_NAME", NAME).output().await.unwrap();
    if output.status.success() { Ok(()) } else { Err(String::from_utf8(output.stderr).unwrap()) }
}

#[tokio::test]
async fn redirect_leads_to_same_path_of_base_url() {
    let server = tls_options()
        .set("INBOXD_BASE_URL", "https://mail.inboxd.test:8443/base")
        .set("INBOXD_HTTP_REDIRECT_ADDR", "127.0.0.1:0")
        .start()
        .await;
    let redirect = HttpClient::new(server.redirect_address().to_owned());
    for (method, target) in [("GET", "/console?next=1"), ("POST", "/v0/agent/sign-up"), ("GET", "//other.example/x")] {
        let response = redirect.call(HttpRequest::new(method, target)).await;
        let location = format!("https://mail.inboxd.test:8443{target}");
        assert_eq!((response.status, response.header("Location")), (308, Some(&*location)));
    }
    let unknown = redirect.get("/.well-known/acme-challenge/unknown").await;
    assert_eq!(unknown.status, 404, "{unknown:?}");
}

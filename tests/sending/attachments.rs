//! Attachments of outgoing messages: base64 or URL.

use base64::Engine as _;
use inboxd_testkit::{FileServer, HttpRequest, RelayServer};
use serde_json::json;

use super::server_with_relay;
use crate::support::{options, server_and_agent};

fn base64(bytes: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// Creates a send request with an attachment of that many bytes, without encoding each of them.
fn send_of_size(path: &str, to: &str, bytes: usize) -> HttpRequest {
    let content = base64(b"xxx").repeat(bytes / 3) + &base64(&b"xx"[..bytes % 3]);
    let body = format!(r#"{{"to": "{to}", "text": "x", "attachments": [{{"content": "{content}"}}]}}"#);
    HttpRequest::new("POST", path).header("Content-Type", "application/json").body(body)
}

#[tokio::test]
async fn base64_attachment_is_decoded() {
    let (relay, _server, agent) = server_with_relay().await;
    let content: Vec<u8> = (0..=255).cycle().take(50_000).collect();
    let body = json!({
        "to": "bob@outside.example",
        "subject": "files",
        "text": "two files",
        "html": "<p>two files <img src=\"cid:logo\"></p>",
        "attachments": [
            {"filename": "Übersicht.bin", "content": base64(&content)},
            {"filename": "logo.png", "content_type": "image/png", "content": base64(b"\x89PNG"), "content_disposition": "inline", "content_id": "logo"},
        ],
    });
    let sent = agent.send(body).await;
    let mail = relay.mail_about("files").await;
    let read = inboxd_mail::parse(&mail.raw);
    let names: Vec<_> = read.attachments.iter().map(|part| part.filename.clone().unwrap_or_default()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    for (name, expected) in [("Übersicht.bin", content.as_slice()), ("logo.png", b"\x89PNG")] {
        let part = read.attachments.iter().find(|part| part.filename.as_deref() == Some(name)).unwrap();
        assert_eq!(inboxd_mail::attachment_content(&mail.raw, part.part).unwrap(), expected);
    }
    let stored = agent.get(&agent.message(&sent["message_id"], "")).await.ok();
    let logo = stored["attachments"].as_array().unwrap().iter().find(|file| file["filename"] == "logo.png").unwrap();
    assert_eq!((&logo["content_disposition"], &logo["content_id"]), (&json!("inline"), &json!("logo")));
}

#[tokio::test]
async fn url_in_allowed_network_is_fetched() {
    let relay = RelayServer::start().await;
    let server = options().relay(&relay).set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").start().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    agent.verify_with(&relay.code_for("owner@example.org").await).await;
    let web = FileServer::start("text/csv", b"a,b\n1,2\n").await;
    let attachments = json!([{"url": web.url(), "filename": "table.csv"}]);
    let sent = agent
        .send(json!({"to": "bob@outside.example", "subject": "table", "text": "x", "attachments": attachments}))
        .await;
    let mail = relay.mail_about("table").await;
    let read = inboxd_mail::parse(&mail.raw);
    let part = &read.attachments[0];
    assert_eq!(inboxd_mail::attachment_content(&mail.raw, part.part).unwrap(), b"a,b\n1,2\n");
    let stored = agent.get(&agent.message(&sent["message_id"], "")).await.ok();
    assert_eq!(stored["attachments"][0]["content_type"], "text/csv");

    let missing = FileServer::start_with_response(
        b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec(),
    )
    .await;
    // A redirect is followed only within the allowed networks.
    let moved = async |to: String| {
        let head = format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        FileServer::start_with_response(head.into_bytes()).await
    };
    let nearby = moved(web.url()).await;
    let attachments = json!([{"url": nearby.url(), "filename": "table.csv"}]);
    agent.send(json!({"to": "bob@outside.example", "text": "moved", "attachments": attachments})).await;
    let elsewhere = moved(web.url().replace("127.0.0.1", "127.0.0.2")).await;
    for url in [missing.url(), elsewhere.url()] {
        let body = json!({"to": "bob@outside.example", "text": "x", "attachments": [{"url": url}]});
        assert_eq!(agent.post(&agent.inbox("/messages/send"), body).await.bad_fields(), ["attachments[0].url"]);
    }
}

#[tokio::test]
async fn private_addresses_are_never_fetched() {
    let (_server, agent) = server_and_agent().await;
    let web = FileServer::start("text/plain", b"secret").await;
    let port = web.url().trim_end_matches("/file").rsplit(':').next().unwrap().to_owned();
    let urls = [
        web.url(),
        format!("http://localhost:{port}/"),
        format!("http://[::1]:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("http://0.0.0.0:{port}/"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "http://10.0.0.1/".to_owned(),
        "file:///etc/passwd".to_owned(),
        "ftp://outside.example/file".to_owned(),
        "no url".to_owned(),
    ];
    for url in urls {
        let body = json!({"to": "bob@outside.example", "text": "x", "attachments": [{"url": url}]});
        let answer = agent.post(&agent.inbox("/messages/send"), body).await;
        assert_eq!(answer.bad_fields(), ["attachments[0].url"], "{url}");
        assert!(!answer.text().contains("secret"));
    }
}

#[tokio::test]
async fn attachment_needs_content_or_url_up_to_25_mb() {
    let (_server, agent) = server_and_agent().await;
    let send = agent.inbox("/messages/send");
    for attachment in [
        json!({"content": "not base64!"}),
        json!({"content": "QQ==", "url": "https://outside.example/"}),
        json!({}),
        json!({"content": "QQ==", "content_disposition": "sideways"}),
        json!("text"),
    ] {
        let body = json!({"to": "bob@outside.example", "text": "x", "attachments": [attachment]});
        let fields = agent.post(&send, body).await.bad_fields();
        assert!(fields[0].starts_with("attachments[0]"), "{attachment}: {fields:?}");
    }
    let fields = agent.call(send_of_size(&send, "bob@outside.example", 25_000_001)).await.bad_fields();
    assert!(fields[0].starts_with("attachments[0]"), "{fields:?}");
}

/// Both requests are refused for another reason, so that no message of this size is composed.
#[tokio::test]
async fn attachment_of_exactly_25_mb_is_accepted() {
    let server = options().set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let send = agent.inbox("/messages/send");
    assert_eq!(agent.call(send_of_size(&send, "nobody", 25_000_000)).await.bad_fields(), ["to"]);
    let bytes = vec![b'x'; 25_000_001];
    let (within, over) =
        (FileServer::start("text/plain", &bytes[1..]).await, FileServer::start("text/plain", &bytes).await);
    let attachments = json!([{"url": within.url()}, {"url": over.url()}]);
    let body = json!({"to": "bob@outside.example", "text": "x", "attachments": attachments});
    assert_eq!(agent.post(&send, body).await.bad_fields(), ["attachments[1].url"]);
    assert_eq!(within.request_count(), 1);
}

//! Clients that do not read large responses.

use std::time::{Duration, Instant};

use inboxd_testkit::{Persona, TestServer, eventually};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::monitoring::{observed, samples, scrape};
use crate::support::{mail_to, options, receive};

/// Size of the attachment, which the mail carries in base64: more than the 4 MiB that the socket of a server buffers.
const CONTENT_BYTES: usize = 8 * 1024 * 1024;
/// Share of one organization in the memory for large responses: two of the largest messages.
const SHARE_BYTES: usize = 80 * 1024 * 1024;

/// Requests a path, reads the status and returns the connection with an unread body.
pub(crate) async fn read_status_only(server: &TestServer, path: &str) -> (u16, TcpStream) {
    let base_url = server.base_url();
    let address = base_url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes()).await.unwrap();
    let mut status = [0; 12];
    timeout(Duration::from_secs(30), stream.read_exact(&mut status)).await.unwrap().unwrap();
    (String::from_utf8_lossy(&status[9..]).parse().unwrap(), stream)
}

/// Receives a message with a large attachment.
async fn receive_large(server: &TestServer, agent: &Persona) -> Value {
    let content = vec![b'x'; CONTENT_BYTES];
    receive(server, agent, &mail_to(agent, "large").attach("a.bin", "application/zip", &content)).await;
    agent.message_about("large").await
}

/// Returns the path of the download of a part of a message.
async fn path_of(agent: &Persona, message: &Value, part: &str) -> String {
    let link = agent.get(&agent.message(&message["message_id"], part)).await.ok();
    let url = link["download_url"].as_str().unwrap();
    url[url.find("/v0/").unwrap()..].to_owned()
}

/// Receives a message with a large attachment, and returns the path of its download.
pub(crate) async fn download_path(server: &TestServer, agent: &Persona) -> String {
    let message = receive_large(server, agent).await;
    let id = message["attachments"][0]["attachment_id"].as_str().unwrap();
    path_of(agent, &message, &format!("/attachments/{id}")).await
}

/// Returns the bytes of responses in memory.
async fn held_bytes(server: &TestServer) -> f64 {
    samples::sum(&scrape(server).await, "inboxd_http_body_memory_bytes", &["kind=\"response\""])
}

/// Waits until a connection is closed because its client does not read, and its response has left the memory.
pub(crate) async fn wait_for_release(server: &TestServer) {
    let is_closed = async || {
        let slow_readers = samples::sum(&scrape(server).await, "inboxd_http_slow_readers_total", &[]);
        (slow_readers > 0.5 && held_bytes(server).await < 0.5).then_some(())
    };
    timeout(Duration::from_secs(10), eventually("the connection is closed", is_closed)).await.unwrap();
}

#[tokio::test]
async fn unread_download_loses_its_share_of_memory() {
    let server = observed().set("INBOXD_RESPONSE_STALL_SECONDS", "1").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let path = download_path(&server, &agent).await;
    // The client stays connected and reads nothing.
    let (status, unread) = read_status_only(&server, &path).await;
    assert_eq!(status, 200);
    wait_for_release(&server).await;
    drop(unread);
}

#[tokio::test]
async fn unread_download_of_object_holds_one_piece() {
    let folder = tempfile::tempdir().unwrap();
    let blobs = format!("file://{}", folder.path().display());
    let server = observed().set("INBOXD_BLOBS", blobs).set("INBOXD_RESPONSE_STALL_SECONDS", "60").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let message = receive_large(&server, &agent).await;
    let (status, unread) = read_status_only(&server, &path_of(&agent, &message, "/raw").await).await;
    assert_eq!(status, 200);
    let held = held_bytes(&server).await;
    assert!((held - 262_144.0).abs() < 0.5, "{held} bytes");
    drop(unread);
    eventually("the piece is free", async || (held_bytes(&server).await < 0.5).then_some(())).await;
}

#[tokio::test]
async fn unread_downloads_use_a_share_of_memory() {
    // The clients keep their shares for the whole test.
    let server = options().set("INBOXD_RESPONSE_STALL_SECONDS", "60").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let other = server.verified("other@example.org", "other").await;
    let path = download_path(&server, &agent).await;
    let mut unread = Vec::new();
    let refusal = loop {
        // The socket buffers hold some more bytes that the server has written.
        assert!(unread.len() <= SHARE_BYTES / CONTENT_BYTES + 2, "{} unread", unread.len());
        match read_status_only(&server, &path).await {
            (200, stream) => unread.push(stream),
            (status, _) => break status,
        }
    };
    assert_eq!(refusal, 429, "after {} unread", unread.len());
    let begun = Instant::now();
    other.get(&other.inbox("/messages")).await.ok();
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    drop(unread);
    let (status, mut stream) = loop {
        let begun = read_status_only(&server, &path).await;
        if begun.0 == 200 {
            break begun;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    assert_eq!(status, 200);
    let mut rest = Vec::new();
    let whole = async {
        while rest.len() < CONTENT_BYTES {
            assert!(stream.read_buf(&mut rest).await.unwrap() > 0);
        }
    };
    timeout(Duration::from_mins(1), whole).await.unwrap();
}

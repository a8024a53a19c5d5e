//! Clients that do not read large responses.

use std::time::{Duration, Instant};

use inboxd_testkit::TestServer;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::support::{mail_to, receive, server_and_agent};

/// Size of the attachment, which the mail carries in base64.
const CONTENT_BYTES: usize = 12 * 1024 * 1024;
/// Share of one organization in the memory for large responses: a quarter.
const SHARE_BYTES: usize = 64 * 1024 * 1024;

/// Requests a path, reads the status and returns the connection with an unread body.
async fn read_status_only(server: &TestServer, path: &str) -> (u16, TcpStream) {
    let base_url = server.base_url();
    let address = base_url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes()).await.unwrap();
    let mut status = [0; 12];
    timeout(Duration::from_secs(30), stream.read_exact(&mut status)).await.unwrap().unwrap();
    (String::from_utf8_lossy(&status[9..]).parse().unwrap(), stream)
}

#[tokio::test]
async fn unread_downloads_use_a_share_of_memory() {
    let (server, agent) = server_and_agent().await;
    let other = server.verified("other@example.org", "other").await;
    let content = vec![b'x'; CONTENT_BYTES];
    receive(&server, &agent, &mail_to(&agent, "large").attach("a.bin", "application/zip", &content)).await;
    let message = agent.message_about("large").await;
    let id = message["attachments"][0]["attachment_id"].as_str().unwrap();
    let link = agent.get(&agent.message(&message["message_id"], &format!("/attachments/{id}"))).await.ok();
    let path_of = |link: &Value| {
        let url = link["download_url"].as_str().unwrap();
        url[url.find("/v0/").unwrap()..].to_owned()
    };
    let path = path_of(&link);
    let mut unread = Vec::new();
    let mut refused = 0;
    for _ in 0..20 {
        match read_status_only(&server, &path).await {
            (200, stream) => unread.push(stream),
            (429, _) => refused += 1,
            (status, _) => panic!("{status}"),
        }
    }
    // The socket buffers hold some more bytes that the server has written.
    assert!(unread.len() <= SHARE_BYTES / CONTENT_BYTES + 2 && refused >= 12, "{} unread", unread.len());
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

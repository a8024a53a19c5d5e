//! Limits of TLS handshakes and of HTTP/2 connections.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

use super::{CertificateFolder, client};

/// Waits for the end of a connection.
async fn ended(mut stream: TcpStream, limit: Duration) -> bool {
    let mut bytes = Vec::new();
    timeout(limit, stream.read_to_end(&mut bytes)).await.is_ok()
}

#[tokio::test]
async fn slow_handshake_ends_after_ten_seconds() {
    let certificate = CertificateFolder::new();
    let server = certificate.options().start().await;
    let silent = TcpStream::connect(server.https_address()).await.unwrap();
    let mut slow = TcpStream::connect(server.https_address()).await.unwrap();
    // The begin of a TLS record with a client hello.
    slow.write_all(&[22, 3, 1, 2, 0]).await.unwrap();
    let started = Instant::now();
    assert!(ended(silent, Duration::from_secs(15)).await && ended(slow, Duration::from_secs(15)).await);
    assert!(started.elapsed() > Duration::from_secs(8), "{:?}", started.elapsed());
}

#[tokio::test]
async fn plain_request_to_tls_listener_is_refused() {
    let certificate = CertificateFolder::new();
    let server = certificate.options().start().await;
    let mut stream = TcpStream::connect(server.https_address()).await.unwrap();
    stream.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    assert!(!String::from_utf8_lossy(&answer).contains("HTTP/1.1 200"), "{answer:?}");
}

#[tokio::test]
async fn handshakes_in_progress_are_bounded_and_leave_connections_alone() {
    let certificate = CertificateFolder::new();
    let server = certificate.options().set("INBOXD_TLS_HANDSHAKES", "16").start().await;
    let secure = client(&server, &certificate.pem());
    let connected = secure.tunnel().await;
    assert_eq!(connected.http().get("/health").await.status, 200);
    // Connections without a complete ClientHello are no handshakes.
    let mut silent = Vec::new();
    for _ in 0..20 {
        silent.push(TcpStream::connect(server.https_address()).await.unwrap());
    }
    // A local address may have the share of a network: an eighth of all.
    let mut unfinished = Vec::new();
    for _ in 0..2 {
        unfinished.push(secure.begin().await);
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(ended(secure.begin().await, Duration::from_secs(3)).await, "one handshake too many is refused at once");
    assert_eq!(server.http().get("/health").await.status, 200, "the plain listener is unaffected");
    unfinished.clear();
    inboxd_testkit::eventually("handshakes succeed again", async || secure.connect().await.ok()).await;
}

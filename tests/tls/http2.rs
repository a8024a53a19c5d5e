//! Limits of one HTTP/2 connection.

use std::time::Duration;

use h2::client::{Builder, SendRequest};
use http::Request;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::{CertificateFolder, NAME, client};
use crate::abuse::unread::{download_path, wait_for_release};

/// Opens a connection whose client accepts no byte of a response body. It knows no limit of the server.
async fn connect(
    server: &inboxd_testkit::TestServer,
    certificate: &CertificateFolder,
) -> (SendRequest<&'static [u8]>, JoinHandle<Result<(), h2::Error>>) {
    let client = client(server, &certificate.pem()).with_protocol(b"h2");
    let stream = client.connect().await.unwrap();
    let handshake = Builder::new().initial_window_size(0).initial_max_send_streams(2000).handshake(stream).await;
    let (requests, connection) = handshake.unwrap();
    (requests, tokio::spawn(connection))
}

fn health() -> Request<()> {
    Request::get(format!("https://{NAME}/health")).body(()).unwrap()
}

#[tokio::test]
async fn requests_beyond_limit_are_refused() {
    let certificate = CertificateFolder::new();
    let server = certificate.options().start().await;
    let (requests, _connection) = connect(&server, &certificate).await;
    let mut unread = Vec::new();
    for number in 0..260 {
        let (response, _) = requests.clone().ready().await.unwrap().send_request(health(), true).unwrap();
        let response = response.await.unwrap();
        assert_eq!(response.status(), if number < 256 { 200 } else { 503 }, "request {number}");
        unread.push(response);
    }
    // Requests that end leave their place to others.
    unread.clear();
    let again = inboxd_testkit::eventually("a request is admitted again", async || {
        let (response, _) = requests.clone().ready().await.unwrap().send_request(health(), true).unwrap();
        Some(response.await.unwrap()).filter(|response| response.status() == 200)
    });
    again.await;
}

#[tokio::test]
async fn oversized_fields_are_refused() {
    let certificate = CertificateFolder::new();
    let server = certificate.options().start().await;
    let (requests, _connection) = connect(&server, &certificate).await;
    for (bytes, status) in [(60_000, 200), (70_000, 431)] {
        let mut request = health();
        request.headers_mut().insert("x-large", "x".repeat(bytes).parse().unwrap());
        let (response, _) = requests.clone().ready().await.unwrap().send_request(request, true).unwrap();
        assert_eq!(response.await.unwrap().status(), status, "{bytes} bytes");
    }
}

#[tokio::test]
async fn unread_responses_close_connection() {
    let certificate = CertificateFolder::new();
    let server = certificate.options().start().await;
    let (requests, connection) = connect(&server, &certificate).await;
    let mut unread = Vec::new();
    for _ in 0..520 {
        let (response, _) = requests.clone().ready().await.unwrap().send_request(health(), true).unwrap();
        unread.push(response);
    }
    let ended = timeout(Duration::from_secs(15), connection).await;
    assert!(ended.is_ok(), "the connection is closed");
    assert_eq!(server.http().get("/health").await.status, 200);
}

#[tokio::test]
async fn unread_response_loses_its_share_of_memory() {
    let certificate = CertificateFolder::new();
    let options = certificate.options().set("INBOXD_METRICS_ADDR", "127.0.0.1:0");
    let server = options.set("INBOXD_RESPONSE_STALL_SECONDS", "1").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let target = format!("https://{NAME}{}", download_path(&server, &agent).await);
    let (requests, connection) = connect(&server, &certificate).await;
    let request = Request::get(target).body(()).unwrap();
    let (response, _) = requests.clone().ready().await.unwrap().send_request(request, true).unwrap();
    // The client keeps the stream open and reads nothing.
    let unread = response.await.unwrap();
    assert_eq!(unread.status(), 200);
    wait_for_release(&server).await;
    assert!(timeout(Duration::from_secs(1), connection).await.is_ok(), "the connection is closed");
    drop(unread);
}

#[tokio::test]
async fn repeated_responses_without_body_do_not_close_connection() {
    let certificate = CertificateFolder::new();
    let server = certificate.options().start().await;
    let (requests, _connection) = connect(&server, &certificate).await;
    // A constant id is compressed to a byte or two.
    for number in 0..2000 {
        let head = Request::head(format!("https://{NAME}/health")).header("x-request-id", "a").body(()).unwrap();
        let (response, _) = requests.clone().ready().await.unwrap().send_request(head, true).unwrap();
        assert!(response.await.is_ok(), "request {number}");
    }
}

#[tokio::test]
async fn idle_connection_does_not_delay_shutdown() {
    let certificate = CertificateFolder::new();
    let mut server = certificate.options().start().await;
    let (requests, _connection) = connect(&server, &certificate).await;
    let (response, _) = requests.clone().ready().await.unwrap().send_request(health(), true).unwrap();
    drop(response.await.unwrap());
    let started = std::time::Instant::now();
    assert!(server.terminate().await.success());
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
}

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use inboxd_core::ports::{NotAnswered, Notification, WebhookAnswer, WebhookSender};

use super::server::{Act, Server, ok, redirect};
use crate::{AddressGuard, Authorities, ClientTimeouts, GuardedSender};

/// Returns a sender with short timeouts that may reach these networks in addition to public addresses.
fn sender(allow: &[&str]) -> GuardedSender {
    let guard = AddressGuard::allowing(allow.iter().map(|cidr| cidr.parse().unwrap()).collect());
    let timeouts = ClientTimeouts { connect: Duration::from_secs(1), total: Duration::from_secs(3) };
    GuardedSender::with_timeouts(guard, &Authorities::public(), timeouts).unwrap()
}

fn notification(url: &str) -> Notification {
    let headers = [("webhook-id", "evt_1"), ("x-twice", "custom"), ("X-Twice", "ours"), ("user-agent", "forged")];
    Notification {
        url: url.to_owned(),
        headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
        body: b"{\"event_type\":\"message.received\"}".to_vec(),
    }
}

async fn send(sender: &GuardedSender, url: &str) -> Result<WebhookAnswer, String> {
    sender.send(notification(url), Box::new(|| ())).await.map_err(|NotAnswered(words)| words)
}

/// Sends with 127.0.0.1 alone permitted.
async fn answer(url: &str) -> Result<WebhookAnswer, String> {
    send(&sender(&["127.0.0.1"]), url).await
}

fn response(status: u16, body: &str) -> WebhookAnswer {
    WebhookAnswer { status, body: body.to_owned() }
}

fn bytes(answer: impl Into<Vec<u8>>) -> Act {
    Act::Write(answer.into())
}

#[tokio::test]
async fn notification_arrives_unmodified_with_its_fields() {
    let server = Server::saying(ok("text/plain", "thanks")).await;
    assert_eq!(answer(&server.url("/hook?token=x%2Fy")).await, Ok(response(200, "thanks")));
    let [posted] = server.posted().try_into().ok().unwrap();
    assert_eq!(posted.body, notification("").body);
    let mut lines: Vec<&str> = posted.head.trim_end().split("\r\n").collect();
    assert_eq!(lines.remove(0), "POST /hook?token=x%2Fy HTTP/1.1");
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "accept-encoding: identity",
            "accept: */*",
            "content-length: 33",
            "content-type: application/json",
            format!("host: {}", server.address).as_str(),
            concat!("user-agent: inboxd/", env!("CARGO_PKG_VERSION")),
            "webhook-id: evt_1",
            "x-twice: ours",
        ]
    );
}

#[tokio::test]
async fn any_status_is_returned_and_redirect_is_not_followed() {
    for status in [200, 204, 300, 304, 400, 404, 410, 429, 500, 503] {
        let server = Server::saying(format!("HTTP/1.1 {status} So\r\nContent-Length: 0\r\n\r\n")).await;
        assert_eq!(answer(&server.url("/")).await, Ok(response(status, "")));
    }
    let elsewhere = Server::saying(ok("text/plain", "secret")).await;
    let location = elsewhere.url("/");
    let server = Server::start(move |_| redirect(307, &location)).await;
    assert_eq!(answer(&server.url("/")).await, Ok(response(307, "")));
    assert_eq!(elsewhere.posted().len(), 0);
}

#[tokio::test]
async fn response_body_is_truncated() {
    let server = Server::saying(ok("text/plain", &"é".repeat(1_000))).await;
    assert_eq!(answer(&server.url("/")).await, Ok(response(200, &"é".repeat(512))));
    let odd = Server::saying([ok("text/plain", &"x".repeat(1_025)).as_bytes(), b"y"].concat()).await;
    assert_eq!(answer(&odd.url("/")).await, Ok(response(200, &"x".repeat(1_024))));
    let unreadable = [b"HTTP/1.1 500 No\r\nContent-Length: 1024\r\n\r\n".as_slice(), &[0xff; 1_024]].concat();
    let server = Server::saying(unreadable).await;
    let answered = answer(&server.url("/")).await.unwrap();
    assert_eq!(answered, response(500, &"\u{fffd}".repeat(341)));
    assert!(answered.body.len() <= WebhookAnswer::MAX_ANSWER_BYTES);
    let endless = Server::start(|_| {
        let mut acts = vec![bytes("HTTP/1.1 200 OK\r\n\r\n")];
        acts.extend(std::iter::repeat_n(bytes([b'x'; 16_384]), 2_000));
        acts
    })
    .await;
    assert_eq!(answer(&endless.url("/")).await, Ok(response(200, &"x".repeat(1_024))));
}

#[tokio::test]
async fn status_is_returned_with_slow_or_broken_body() {
    let dribbling = Server::start(|_| {
        let mut acts = vec![bytes("HTTP/1.1 202 OK\r\nContent-Length: 1000\r\n\r\nx")];
        acts.extend([Act::Wait(Duration::from_secs(30)), bytes("x")]);
        acts
    })
    .await;
    assert_eq!(answer(&dribbling.url("/")).await, Ok(response(202, "x")));
    let broken = Server::saying("HTTP/1.1 500 No\r\nContent-Length: 10\r\n\r\nabc").await;
    assert_eq!(answer(&broken.url("/")).await, Ok(response(500, "abc")));
}

#[tokio::test]
async fn webhook_with_silence_or_slow_head_times_out() {
    let silent = Server::start(|_| vec![Act::Wait(Duration::from_secs(30))]).await;
    let dribbling = Server::start(|_| {
        let head = "HTTP/1.1 200 OK\r\nX-Dribble: ".bytes().chain(std::iter::repeat_n(b'x', 300));
        head.flat_map(|byte| [bytes([byte]), Act::Wait(Duration::from_millis(100))]).collect()
    })
    .await;
    for server in [silent, dribbling] {
        let expected = Err("no response within 3 s; respond first, then process the event".to_owned());
        assert_eq!(answer(&server.url("/")).await, expected);
    }
}

#[tokio::test]
async fn oversized_or_invalid_head_is_an_error() {
    let long = format!("HTTP/1.1 200 OK\r\nX-Long: {}\r\n\r\n", "x".repeat(100_000));
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "X-Many: y\r\n".repeat(1_000));
    for bytes in [long.as_str(), &many, "220 mail.example.org ESMTP\r\n", ""] {
        let server = Server::saying(bytes).await;
        let expected = Err("the connection closed before a valid HTTP response".to_owned());
        assert_eq!(answer(&server.url("/")).await, expected);
        assert_eq!(server.connections(), 1, "it is a failure of the webhook, not of an idle connection");
    }
}

#[tokio::test]
async fn private_address_reads_like_unreachable_host() {
    let server = Server::saying(ok("text/plain", "secret")).await;
    let port = server.address.port();
    let guarded = sender(&[]);
    let refused = send(&guarded, "http://169.254.169.254/").await.unwrap_err();
    assert!(refused.starts_with("the host of the URL cannot be reached"), "{refused}");
    for host in ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0x7f000001", "127.1", "0.0.0.0"] {
        for scheme in ["http", "https"] {
            let url = format!("{scheme}://{host}:{port}/");
            assert_eq!(send(&guarded, &url).await, Err(refused.clone()), "{url}");
        }
    }
    assert_eq!(server.connections(), 0);
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert_eq!(answer(&format!("http://{closed}/")).await, Err(refused.clone()));
    assert_eq!(answer("http://no-such-host.invalid/").await, Err(refused));
}

#[tokio::test]
async fn connection_is_reused() {
    let server = Server::start(|_| vec![bytes(ok("text/plain", "thanks")), Act::Again]).await;
    let sender = sender(&["127.0.0.1"]);
    for _ in 0..5 {
        assert_eq!(send(&sender, &server.url("/")).await, Ok(response(200, "thanks")));
    }
    assert_eq!((server.connections(), server.posted().len()), (1, 5));
}

#[tokio::test]
async fn request_on_closed_idle_connection_is_repeated() {
    // Every second request of a connection is read and left without a response.
    let asked = Arc::new(AtomicUsize::new(0));
    let server = Server::start(move |_| match asked.fetch_add(1, Ordering::SeqCst) % 2 {
        0 => vec![bytes(ok("text/plain", "thanks")), Act::Again],
        _ => vec![],
    })
    .await;
    let sender = sender(&["127.0.0.1"]);
    let begun = Arc::new(AtomicUsize::new(0));
    for _ in 0..4 {
        let begun = Arc::clone(&begun);
        let on_sent = Box::new(move || {
            begun.fetch_add(1, Ordering::SeqCst);
        });
        let answer = sender.send(notification(&server.url("/")), on_sent).await;
        assert_eq!(answer, Ok(response(200, "thanks")));
    }
    assert_eq!((server.connections(), server.posted().len()), (4, 7));
    assert_eq!(begun.load(Ordering::SeqCst), 4, "a request is on its way once, however often it is sent");
}

#[tokio::test]
async fn sent_callback_runs_before_response() {
    let server = Server::start(|_| vec![Act::Wait(Duration::from_secs(30))]).await;
    let (begun, begins) = tokio::sync::oneshot::channel();
    let sender = sender(&["127.0.0.1"]);
    let sending = sender.send(notification(&server.url("/")), Box::new(|| begun.send(()).unwrap()));
    tokio::select! {
        _ = sending => panic!("no response arrives"),
        begun = begins => begun.unwrap(),
    }
    // A request that never leaves drops its callback.
    let (begun, begins) = tokio::sync::oneshot::channel();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let on_sent = Box::new(|| begun.send(()).unwrap());
    sender.send(notification(&format!("http://{closed}/")), on_sent).await.unwrap_err();
    assert!(begins.await.is_err());
}

#[tokio::test]
async fn invalid_header_field_is_refused() {
    let server = Server::saying(ok("text/plain", "thanks")).await;
    for (name, value) in [("bad name", "x"), ("x-bad", "a\r\nhost: b"), ("", "x")] {
        let mut notification = notification(&server.url("/"));
        notification.headers.push((name.to_owned(), value.to_owned()));
        let refused = sender(&["127.0.0.1"]).send(notification, Box::new(|| ())).await.unwrap_err();
        assert_eq!(refused.to_string(), "a header field cannot be written; set its name and value again");
    }
    assert_eq!(server.connections(), 0);
}

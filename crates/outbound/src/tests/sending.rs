use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use inboxd_core::ports::{NotAnswered, Notification, WebhookAnswer, WebhookSender};

use super::server::{Act, Server, ok, redirect};
use crate::{Guard, Patience, Sender};

/// A sender that may reach these networks besides the public ones, and soon loses patience.
fn sender(allow: &[&str]) -> Sender {
    let guard = Guard::allowing(allow.iter().map(|cidr| cidr.parse().unwrap()).collect());
    let patience = Patience { connect: Duration::from_secs(1), whole: Duration::from_secs(3) };
    Sender::with_patience(guard, patience).unwrap()
}

fn notification(url: &str) -> Notification {
    let headers = [("webhook-id", "evt_1"), ("x-twice", "custom"), ("X-Twice", "ours"), ("user-agent", "forged")];
    Notification {
        url: url.to_owned(),
        headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
        body: b"{\"event_type\":\"message.received\"}".to_vec(),
    }
}

async fn send(sender: &Sender, url: &str) -> Result<WebhookAnswer, String> {
    sender.send(notification(url), Box::new(|| ())).await.map_err(|NotAnswered(words)| words)
}

/// Sends with 127.0.0.1 alone allowed.
async fn answer(url: &str) -> Result<WebhookAnswer, String> {
    send(&sender(&["127.0.0.1"]), url).await
}

fn said(status: u16, body: &str) -> WebhookAnswer {
    WebhookAnswer { status, body: body.to_owned() }
}

fn octets(answer: impl Into<Vec<u8>>) -> Act {
    Act::Write(answer.into())
}

#[tokio::test]
async fn the_body_arrives_as_it_is_with_the_fields_that_were_asked_for() {
    let server = Server::saying(ok("text/plain", "thanks")).await;
    assert_eq!(answer(&server.url("/hook?token=x%2Fy")).await, Ok(said(200, "thanks")));
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
async fn every_status_is_an_answer_and_no_redirect_is_followed() {
    for status in [200, 204, 300, 304, 400, 404, 410, 429, 500, 503] {
        let server = Server::saying(format!("HTTP/1.1 {status} So\r\nContent-Length: 0\r\n\r\n")).await;
        assert_eq!(answer(&server.url("/")).await, Ok(said(status, "")));
    }
    let elsewhere = Server::saying(ok("text/plain", "secret")).await;
    let location = elsewhere.url("/");
    let server = Server::start(move |_| redirect(307, &location)).await;
    assert_eq!(answer(&server.url("/")).await, Ok(said(307, "")));
    assert_eq!(elsewhere.posted().len(), 0);
}

#[tokio::test]
async fn of_an_answer_its_beginning_is_kept_and_the_rest_not_read() {
    let server = Server::saying(ok("text/plain", &"é".repeat(1_000))).await;
    assert_eq!(answer(&server.url("/")).await, Ok(said(200, &"é".repeat(512))));
    let odd = Server::saying([ok("text/plain", &"x".repeat(1_025)).as_bytes(), b"y"].concat()).await;
    assert_eq!(answer(&odd.url("/")).await, Ok(said(200, &"x".repeat(1_024))));
    let unreadable = [b"HTTP/1.1 500 No\r\nContent-Length: 1024\r\n\r\n".as_slice(), &[0xff; 1_024]].concat();
    let server = Server::saying(unreadable).await;
    let answered = answer(&server.url("/")).await.unwrap();
    assert_eq!(answered, said(500, &"\u{fffd}".repeat(341)));
    assert!(answered.body.len() <= WebhookAnswer::LONGEST_BODY);
    let endless = Server::start(|_| {
        let mut acts = vec![octets("HTTP/1.1 200 OK\r\n\r\n")];
        acts.extend(std::iter::repeat_n(octets([b'x'; 16_384]), 2_000));
        acts
    })
    .await;
    assert_eq!(answer(&endless.url("/")).await, Ok(said(200, &"x".repeat(1_024))));
}

#[tokio::test]
async fn a_status_counts_although_the_body_dribbles_or_breaks_off() {
    let dribbling = Server::start(|_| {
        let mut acts = vec![octets("HTTP/1.1 202 OK\r\nContent-Length: 1000\r\n\r\nx")];
        acts.extend([Act::Wait(Duration::from_secs(30)), octets("x")]);
        acts
    })
    .await;
    assert_eq!(answer(&dribbling.url("/")).await, Ok(said(202, "x")));
    let broken = Server::saying("HTTP/1.1 500 No\r\nContent-Length: 10\r\n\r\nabc").await;
    assert_eq!(answer(&broken.url("/")).await, Ok(said(500, "abc")));
}

#[tokio::test]
async fn a_webhook_that_keeps_silent_or_dribbles_its_head_is_given_up() {
    let silent = Server::start(|_| vec![Act::Wait(Duration::from_secs(30))]).await;
    let dribbling = Server::start(|_| {
        let head = "HTTP/1.1 200 OK\r\nX-Dribble: ".bytes().chain(std::iter::repeat_n(b'x', 300));
        head.flat_map(|octet| [octets([octet]), Act::Wait(Duration::from_millis(100))]).collect()
    })
    .await;
    for server in [silent, dribbling] {
        let expected = Err("no answer within 3 s; answer first, then work".to_owned());
        assert_eq!(answer(&server.url("/")).await, expected);
    }
}

#[tokio::test]
async fn the_head_of_an_answer_is_bounded_and_must_be_http() {
    let long = format!("HTTP/1.1 200 OK\r\nX-Long: {}\r\n\r\n", "x".repeat(100_000));
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "X-Many: y\r\n".repeat(1_000));
    for octets in [long.as_str(), &many, "220 mail.example.org ESMTP\r\n", ""] {
        let server = Server::saying(octets).await;
        let expected = Err("the connection broke off before there was an answer in proper HTTP".to_owned());
        assert_eq!(answer(&server.url("/")).await, expected);
        assert_eq!(server.connections(), 1, "it is a failure of the webhook, not of a kept connection");
    }
}

#[tokio::test]
async fn private_addresses_are_not_reached_and_all_that_is_out_of_reach_reads_alike() {
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
async fn a_connection_is_used_again_and_again() {
    let server = Server::start(|_| vec![octets(ok("text/plain", "thanks")), Act::Again]).await;
    let sender = sender(&["127.0.0.1"]);
    for _ in 0..5 {
        assert_eq!(send(&sender, &server.url("/")).await, Ok(said(200, "thanks")));
    }
    assert_eq!((server.connections(), server.posted().len()), (1, 5));
}

#[tokio::test]
async fn a_kept_connection_that_is_closed_under_a_request_fails_nothing() {
    // Every second request of a connection is read and not answered.
    let asked = Arc::new(AtomicUsize::new(0));
    let server = Server::start(move |_| match asked.fetch_add(1, Ordering::SeqCst) % 2 {
        0 => vec![octets(ok("text/plain", "thanks")), Act::Again],
        _ => vec![],
    })
    .await;
    let sender = sender(&["127.0.0.1"]);
    let begun = Arc::new(AtomicUsize::new(0));
    for _ in 0..4 {
        let begun = Arc::clone(&begun);
        let on_its_way = Box::new(move || {
            begun.fetch_add(1, Ordering::SeqCst);
        });
        let answer = sender.send(notification(&server.url("/")), on_its_way).await;
        assert_eq!(answer, Ok(said(200, "thanks")));
    }
    assert_eq!((server.connections(), server.posted().len()), (4, 7));
    assert_eq!(begun.load(Ordering::SeqCst), 4, "a request is on its way once, however often it is sent");
}

#[tokio::test]
async fn it_is_told_that_a_request_is_on_its_way_before_it_is_answered() {
    let server = Server::start(|_| vec![Act::Wait(Duration::from_secs(30))]).await;
    let (begun, begins) = tokio::sync::oneshot::channel();
    let sender = sender(&["127.0.0.1"]);
    let sending = sender.send(notification(&server.url("/")), Box::new(|| begun.send(()).unwrap()));
    tokio::select! {
        _ = sending => panic!("nobody answers"),
        begun = begins => begun.unwrap(),
    }
    // One that never goes out lets go of what it was to call.
    let (begun, begins) = tokio::sync::oneshot::channel();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let on_its_way = Box::new(|| begun.send(()).unwrap());
    sender.send(notification(&format!("http://{closed}/")), on_its_way).await.unwrap_err();
    assert!(begins.await.is_err());
}

#[tokio::test]
async fn a_field_that_cannot_be_written_is_named_so() {
    let server = Server::saying(ok("text/plain", "thanks")).await;
    for (name, value) in [("bad name", "x"), ("x-bad", "a\r\nhost: b"), ("", "x")] {
        let mut notification = notification(&server.url("/"));
        notification.headers.push((name.to_owned(), value.to_owned()));
        let refused = sender(&["127.0.0.1"]).send(notification, Box::new(|| ())).await.unwrap_err();
        assert_eq!(refused.to_string(), "a header field cannot be written; set its name and value again");
    }
    assert_eq!(server.connections(), 0);
}

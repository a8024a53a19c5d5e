//! Limits of the HTTP API for one client or organization.

use std::time::{Duration, Instant};

use inboxd_testkit::{FileServer, HttpClient, HttpRequest, Persona, ServerFrame, TestServer};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::support::{count, mail_to, options, receive, receive_all, run_concurrently, server, server_and_agent};

const PING: u8 = 0x89;

/// Maximum response time of a list for another tenant during the attack.
const UNHARMED: Duration = Duration::from_secs(2);

/// A server on which a database session locks the only thread of an attacker, in place of slow statements.
async fn with_locked_thread() -> (TestServer, Persona, Persona, inboxd_testkit::SqlSession, String) {
    let (server, attacker) = server_and_agent().await;
    let other = server.verified("other@example.org", "other").await;
    receive(&server, &attacker, &mail_to(&attacker, "one")).await;
    let threads = attacker.get(&attacker.inbox("/threads")).await.ok();
    let path = attacker.thread(&threads["threads"][0]["thread_id"], "");
    let mut session = server.database().session().await;
    let lock = format!("BEGIN; SELECT 1 FROM threads WHERE inbox_id = '{}' FOR UPDATE", attacker.inbox_id);
    session.execute(&lock).await;
    (server, attacker, other, session, path)
}

/// Returns the longest duration of several list requests.
async fn slowest_list(tenant: &Persona) -> Duration {
    let mut slowest = Duration::ZERO;
    for _ in 0..10 {
        let begun = Instant::now();
        tenant.get(&tenant.inbox("/threads")).await.ok();
        slowest = slowest.max(begun.elapsed());
    }
    slowest
}

#[tokio::test]
async fn organization_with_blocked_requests_leaves_connections_to_others() {
    let (_server, attacker, other, mut session, path) = with_locked_thread().await;
    let mut patches = JoinSet::new();
    for number in 0..400 {
        let (attacker, path) = (attacker.clone(), path.clone());
        patches.spawn(async move { attacker.patch(&path, json!({"add_labels": [format!("l{}", number % 5)]})).await });
    }
    sleep(Duration::from_millis(500)).await;
    let slowest = slowest_list(&other).await;
    assert!(slowest < UNHARMED, "{slowest:?}");
    session.execute("ROLLBACK").await;
    let answers = patches.join_all().await;
    let refused: Vec<_> = answers.iter().filter(|answer| answer.status == 429).collect();
    assert!(refused.len() >= 100, "{} of 400 were refused", refused.len());
    for answer in refused {
        answer.require_error(429, "too_many_requests");
        assert_eq!(answer.header("Retry-After"), Some("1"));
    }
    assert!(count(&answers, 200) >= 200, "the other requests succeeded");
}

#[tokio::test]
async fn organization_with_disconnected_clients_leaves_connections_to_others() {
    let (_server, attacker, other, mut session, path) = with_locked_thread().await;
    for _ in 0..20 {
        let mut hung_up = Vec::new();
        for _ in 0..20 {
            let request = HttpRequest::new("PATCH", &path).json(&json!({"add_labels": ["a"]}));
            hung_up.push(attacker.start_request(request).await);
        }
        sleep(Duration::from_millis(20)).await;
        for stream in hung_up {
            // A reset tells the server immediately that the client has disconnected.
            stream.set_zero_linger().unwrap();
        }
    }
    let slowest = slowest_list(&other).await;
    assert!(slowest < UNHARMED, "{slowest:?}");
    session.execute("ROLLBACK").await;
}

#[tokio::test]
async fn key_beyond_its_rate_is_refused_without_effect_on_others() {
    let server = options().set("INBOXD_KEY_RATE", "3").start().await;
    let attacker = server.verified("owner@example.org", "scout").await;
    let other = server.verified("other@example.org", "other").await;
    let list = attacker.inbox("/messages");
    // A repeated list request also counts.
    let calls = (0..60).map(|_| {
        let (attacker, list) = (attacker.clone(), list.clone());
        async move { attacker.get(&list).await }
    });
    let answers = run_concurrently(calls).await;
    assert!(count(&answers, 200) <= 50, "{}", count(&answers, 200));
    let refused = answers.iter().find(|answer| answer.status == 429).unwrap();
    refused.require_error(429, "too_many_requests");
    assert!(refused.header("Retry-After").is_some_and(|seconds| seconds.parse::<u64>().is_ok_and(|s| s >= 1)));
    other.get(&other.inbox("/messages")).await.ok();
}

/// Starts a request with an incomplete body of that size.
async fn send_incomplete_request(agent: &HttpClient, target: &str, bytes: usize) -> TcpStream {
    let request = HttpRequest::new("POST", target)
        .header("Content-Length", "40000000")
        .header("Content-Type", "application/json");
    let mut stream = agent.start_request(request).await;
    let piece = vec![b' '; 1024 * 1024];
    for _ in 0..bytes / piece.len() {
        if stream.write_all(&piece).await.is_err() {
            break;
        }
    }
    stream
}

#[tokio::test]
async fn large_bodies_of_organization_use_a_share_of_memory() {
    let (server, attacker) = server_and_agent().await;
    let other = server.verified("other@example.org", "other").await;
    let target = attacker.inbox("/messages/send");
    let mut streams = Vec::new();
    for _ in 0..4 {
        streams.push(send_incomplete_request(&attacker, &target, 16 * 1024 * 1024).await);
    }
    sleep(Duration::from_millis(200)).await;
    let body = " ".repeat(1024 * 1024);
    let send = |agent: &Persona| {
        let target = agent.inbox("/messages/send");
        let request = HttpRequest::new("POST", &target).header("Content-Type", "application/json").body(body.clone());
        let agent = agent.clone();
        async move { agent.call(request).await }
    };
    let refused = send(&attacker).await;
    refused.require_error(429, "too_many_requests");
    assert_eq!(refused.header("Retry-After"), Some("1"));
    send(&other).await.require_error(422, "validation_error");
    attacker.post(&target, json!({})).await.require_error(422, "validation_error");
}

#[tokio::test]
async fn organization_composes_few_messages_with_urls_concurrently() {
    let server = options().set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let web = FileServer::start_held("text/plain", b"file").await;
    let mut sending = JoinSet::new();
    for number in 0..8 {
        let (agent, url) = (agent.clone(), web.url());
        let files: Vec<Value> = (0..4).map(|_| json!({"url": url})).collect();
        let body =
            json!({"to": "owner@example.org", "subject": format!("{number}"), "text": "x", "attachments": files});
        sending.spawn(async move { agent.post(&agent.inbox("/messages/send"), body).await });
    }
    // The URLs of one message are fetched concurrently.
    while web.request_count() < 16 {
        sleep(Duration::from_millis(10)).await;
    }
    let mut refused = Vec::new();
    for _ in 0..4 {
        refused.push(timeout(Duration::from_secs(10), sending.join_next()).await.unwrap().unwrap().unwrap());
    }
    for answer in &refused {
        answer.require_error(429, "too_many_requests");
        assert_eq!(answer.header("Retry-After"), Some("5"));
    }
    assert_eq!(web.request_count(), 16, "no URL of the waiting messages is fetched");
    web.release();
    let sent = sending.join_all().await;
    assert_eq!(count(&sent, 200), 4);
}

/// Returns the complete response to these bytes.
async fn exchange_raw(server: &TestServer, bytes: &[u8]) -> String {
    let address = server.base_url().replace("http://", "");
    let mut stream = TcpStream::connect(address).await.unwrap();
    let _ = stream.write_all(bytes).await;
    let mut answer = Vec::new();
    let _ = timeout(Duration::from_secs(20), stream.read_to_end(&mut answer)).await.unwrap();
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn request_refused_by_parser_returns_error_envelope() {
    let server = server().await;
    let long = format!("GET /health HTTP/1.1\r\nX-Long: {}\r\n\r\n", "x".repeat(200_000));
    for (bytes, status, code) in [
        ("nonsense\r\n\r\n", "400", "malformed_request"),
        ("GET /health HTTP/1.1\r\nno colon\r\n\r\n", "400", "malformed_request"),
        ("GET /health HTTP/1.1\r\nContent-Length: x\r\n\r\n", "400", "malformed_request"),
        (long.as_str(), "431", "headers_too_large"),
    ] {
        let answer = exchange_raw(&server, bytes.as_bytes()).await;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{bytes:.60}: {answer}"));
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{head}");
        assert!(head.contains(&format!("content-length: {}", body.len())), "{head}");
        assert!(head.contains("x-request-id: "), "{head}");
        let envelope: Value = serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"));
        assert_eq!(envelope["code"], code, "{envelope}");
        assert!(["name", "message", "fix", "docs"].iter().all(|field| envelope[field].is_string()), "{envelope}");
    }
    // Earlier responses on the connection stay unchanged.
    let answer = exchange_raw(&server, b"GET /health HTTP/1.1\r\nHost: x\r\n\r\nnonsense\r\n\r\n").await;
    assert!(
        answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.contains(r#"{"status":"ok"}HTTP/1.1 400 "#),
        "{answer}"
    );
    assert!(answer.contains("malformed_request"), "{answer}");
}

#[tokio::test]
async fn busy_websocket_client_is_closed_with_missed_events() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "first")).await;
    let first = loop {
        let events = agent.get("/v0/events?event_types=message.received").await.ok();
        if let Some(event) = events["events"].as_array().and_then(|events| events.first()) {
            break event["event_id"].clone();
        }
        sleep(Duration::from_millis(10)).await;
    };
    let subjects: Vec<String> = (0..40).map(|number| format!("missed {number}")).collect();
    receive_all(&server, &agent, &subjects.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let mut socket = agent.open_socket("/v0").await.unwrap();
    let subscribe = json!({"type": "subscribe", "event_types": ["message.received"], "after_event_id": first});
    socket.send_json(&subscribe).await;
    let told = async {
        let mut told = 0;
        while told < 40 {
            socket.send_frame(PING, b"x").await;
            match socket.next().await {
                ServerFrame::Json(event) if event["type"] == "event" => told += 1,
                ServerFrame::Json(_) | ServerFrame::Pong(_) => {}
                ended => panic!("{ended:?} after {told} events"),
            }
        }
    };
    timeout(Duration::from_secs(20), told).await.unwrap();
}

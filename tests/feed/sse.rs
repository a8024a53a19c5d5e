//! `GET /v0/events` with `Accept: text/event-stream`.

use std::time::Duration;

use inboxd_testkit::HttpRequest;
use serde_json::json;
use tokio::io::AsyncReadExt as _;
use tokio::time::timeout;

use super::{deliver_mail, event_id, event_subject, page_events, page_subjects, path_after, start_feed};
use crate::support::receive_all;

#[tokio::test]
async fn stream_sends_listed_events_and_later_ones() {
    let (server, agent, first) = start_feed().await;
    receive_all(&server, &agent, &["1", "2"]).await;
    let mut stream = agent.open_stream(HttpRequest::new("GET", &path_after(&first))).await.unwrap();
    assert_eq!(stream.head.header("Content-Type"), Some("text/event-stream; charset=utf-8"));
    assert_eq!(stream.head.header("X-Accel-Buffering"), Some("no"));
    let page = agent.get(&path_after(&first)).await.ok();
    for event in page_events(&page) {
        assert_eq!(stream.next_event().await, event);
    }
    assert_eq!(stream.retry, Some(1000), "the reconnection delay");
    receive_all(&server, &agent, &["3"]).await;
    assert_eq!(event_subject(&stream.next_event().await), "3");
    // Without a cursor the stream starts at the present.
    let mut from_now = agent.open_stream(HttpRequest::new("GET", "/v0/events")).await.unwrap();
    receive_all(&server, &agent, &["4"]).await;
    assert_eq!(event_subject(&from_now.next_event().await), "4");
}

#[tokio::test]
async fn accept_field_is_parsed_in_common_forms() {
    let (_server, agent, _) = start_feed().await;
    for accept in ["text/event-stream", "TEXT/Event-Stream;q=0.9", "text/event-stream, */*"] {
        let stream = agent.open_stream(HttpRequest::new("GET", "/v0/events").header("Accept", accept)).await;
        assert!(stream.is_ok(), "{accept}");
    }
    for accept in ["*/*", "application/json", "text/*", "text/event-stream, application/json"] {
        let request = HttpRequest::new("GET", "/v0/events").header("Accept", accept);
        assert_eq!(agent.call(request).await.ok()["count"], 1, "{accept}");
    }
}

#[tokio::test]
async fn head_of_stream_ends_without_content() {
    let (_server, agent, _) = start_feed().await;
    let request = HttpRequest::new("HEAD", "/v0/events").header("Accept", "text/event-stream");
    let mut stream = agent.start_request(request.header("Connection", "close")).await;
    let mut response = String::new();
    timeout(Duration::from_secs(10), stream.read_to_string(&mut response)).await.unwrap().unwrap();
    assert!(response.starts_with("HTTP/1.1 200 ") && response.ends_with("\r\n\r\n"), "{response}");
}

#[tokio::test]
async fn broken_stream_resumes_after_last_event() {
    let (server, agent, first) = start_feed().await;
    receive_all(&server, &agent, &["1", "2", "3", "4"]).await;
    let mut stream = agent.open_stream(HttpRequest::new("GET", &path_after(&first))).await.unwrap();
    stream.next_event().await;
    let last = stream.next().await.unwrap().id.unwrap();
    drop(stream);
    receive_all(&server, &agent, &["5"]).await;
    // A browser reconnects to the same URL and sends the last id in a header field.
    let again = HttpRequest::new("GET", &path_after(&first)).header("Last-Event-ID", &last);
    let mut stream = agent.open_stream(again).await.unwrap();
    receive_all(&server, &agent, &["6"]).await;
    for about in ["3", "4", "5", "6"] {
        assert_eq!(event_subject(&stream.next_event().await), about);
    }
}

#[tokio::test]
async fn stream_has_filters_of_list() {
    let (server, agent, first) = start_feed().await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let of = |query: &str| HttpRequest::new("GET", &format!("{}&{query}", path_after(&first)));
    let mut sent = agent.open_stream(of("event_types=message.sent")).await.unwrap();
    let mut desk = agent.open_stream(of("inbox_id=Desk@inboxd.localhost")).await.unwrap();
    deliver_mail(&server, &agent.inbox_id, "to scout").await;
    deliver_mail(&server, "desk@inboxd.localhost", "to desk").await;
    agent.send(json!({"to": "bob@outside.example", "subject": "sent", "text": "hello"})).await;
    assert_eq!(event_subject(&sent.next_event().await), "message.sent");
    assert_eq!(event_subject(&desk.next_event().await), "to desk");
    // Without type filters, the stream omits blocked mail, like lists.
    agent.post("/v0/lists/receive/block", json!({"entry": "outside.example"})).await.ok();
    deliver_mail(&server, "desk@inboxd.localhost", "blocked").await;
    let event = desk.next_event().await;
    assert_eq!((event_subject(&event), &event["event_type"]), ("blocked", &json!("message.received.blocked")));
}

#[tokio::test]
async fn invalid_stream_request_returns_error_envelope() {
    let (server, agent, first) = start_feed().await;
    let refusal = async |request: HttpRequest, status: u16, code: &str| {
        agent.open_stream(request).await.unwrap_err().require_error(status, code);
    };
    refusal(HttpRequest::new("GET", &path_after("x")), 404, "not_found").await;
    refusal(HttpRequest::new("GET", &path_after(&first)).header("Last-Event-ID", "x"), 404, "not_found").await;
    refusal(HttpRequest::new("GET", "/v0/events?event_types=message.flown"), 400, "unknown_event_type").await;
    refusal(HttpRequest::new("GET", "/v0/events?inbox_id=nobody@inboxd.localhost"), 404, "not_found").await;
    refusal(HttpRequest::new("GET", "/v0/events?wait=x"), 422, "validation_error").await;
    let nobody = server.http().open_stream(HttpRequest::new("GET", "/v0/events")).await.unwrap_err();
    nobody.require_error(401, "missing_authorization");
}

#[tokio::test]
async fn revoked_key_ends_stream_with_reason() {
    let (server, agent, first) = start_feed().await;
    for _ in 0..5 {
        let made = agent.post("/v0/api-keys", json!({"name": "short"})).await.ok();
        let key = server.http().with_key(made["api_key"].as_str().unwrap());
        let mut stream = key.open_stream(HttpRequest::new("GET", &path_after(&first))).await.unwrap();
        let so_far = agent.get(&path_after(&first)).await.ok();
        for about in page_subjects(&so_far) {
            assert_eq!(event_subject(&stream.next_event().await), about);
        }
        agent.delete(&format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap())).await.require_no_content();
        deliver_mail(&server, &agent.inbox_id, "too late").await;
        let last = stream.next().await.unwrap();
        assert_eq!((last.event.as_str(), &last.id, &last.json()["code"]), ("error", &None, &json!("unknown_api_key")));
        assert_eq!(stream.next().await, None, "the stream ends");
    }
}

#[tokio::test]
async fn idle_stream_sends_comments_without_events() {
    let (server, agent, first) = start_feed().await;
    let mut stream = agent.open_stream(HttpRequest::new("GET", &path_after(&first))).await.unwrap();
    stream.wait_for_comments(1).await;
    deliver_mail(&server, &agent.inbox_id, "second").await;
    let event = stream.next_event().await;
    assert_eq!(event_subject(&event), "second");
    assert_eq!(event_id(&event), super::newest_event_id(&agent).await);
}

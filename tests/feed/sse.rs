//! `GET /v0/events` with `Accept: text/event-stream`.

use inboxd_testkit::Request;
use serde_json::json;

use super::{behind, events, id, mail, started, subject, subjects};
use crate::support::receive_all;

#[tokio::test]
async fn a_stream_tells_what_the_list_shows_and_goes_on() {
    let (server, agent, first) = started().await;
    receive_all(&server, &agent, &["1", "2"]).await;
    let mut stream = agent.stream(Request::new("GET", &behind(&first))).await.unwrap();
    assert_eq!(stream.head.header("Content-Type"), Some("text/event-stream; charset=utf-8"));
    assert_eq!(stream.head.header("X-Accel-Buffering"), Some("no"));
    let page = agent.get(&behind(&first)).await.ok();
    for event in events(&page) {
        assert_eq!(stream.event().await, event);
    }
    assert_eq!(stream.retry, Some(1000), "when a client whose connection broke is to come back");
    receive_all(&server, &agent, &["3"]).await;
    assert_eq!(subject(&stream.event().await), "3");
    // Without a cursor it begins now.
    let mut from_now = agent.stream(Request::new("GET", "/v0/events")).await.unwrap();
    receive_all(&server, &agent, &["4"]).await;
    assert_eq!(subject(&from_now.event().await), "4");
}

#[tokio::test]
async fn accept_is_read_as_clients_write_it() {
    let (_server, agent, _) = started().await;
    for accept in ["text/event-stream", "TEXT/Event-Stream;q=0.9", "text/event-stream, */*"] {
        let stream = agent.stream(Request::new("GET", "/v0/events").header("Accept", accept)).await;
        assert!(stream.is_ok(), "{accept}");
    }
    for accept in ["*/*", "application/json", "text/*", "text/event-stream, application/json"] {
        let request = Request::new("GET", "/v0/events").header("Accept", accept);
        assert_eq!(agent.call(request).await.ok()["count"], 1, "{accept}");
    }
}

#[tokio::test]
async fn a_broken_connection_is_taken_up_where_the_client_left_off() {
    let (server, agent, first) = started().await;
    receive_all(&server, &agent, &["1", "2", "3", "4"]).await;
    let mut stream = agent.stream(Request::new("GET", &behind(&first))).await.unwrap();
    stream.event().await;
    let last = stream.next().await.unwrap().id.unwrap();
    drop(stream);
    receive_all(&server, &agent, &["5"]).await;
    // A browser comes back to the same URL, and says in a header how far it is.
    let again = Request::new("GET", &behind(&first)).header("Last-Event-ID", &last);
    let mut stream = agent.stream(again).await.unwrap();
    receive_all(&server, &agent, &["6"]).await;
    for about in ["3", "4", "5", "6"] {
        assert_eq!(subject(&stream.event().await), about);
    }
}

#[tokio::test]
async fn a_stream_is_filtered_as_a_list_is() {
    let (server, agent, first) = started().await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let of = |query: &str| Request::new("GET", &format!("{}&{query}", behind(&first)));
    let mut sent = agent.stream(of("event_types=message.sent")).await.unwrap();
    let mut desk = agent.stream(of("inbox_id=Desk@inboxd.localhost")).await.unwrap();
    mail(&server, &agent.inbox_id, "to scout").await;
    mail(&server, "desk@inboxd.localhost", "to desk").await;
    agent.send(json!({"to": "bob@outside.example", "subject": "sent", "text": "hello"})).await;
    assert_eq!(subject(&sent.event().await), "message.sent");
    assert_eq!(subject(&desk.event().await), "to desk");
    // A blocked mail is told to whoever names no kinds, as lists show it.
    agent.post("/v0/lists/receive/block", json!({"entry": "outside.example"})).await.ok();
    mail(&server, "desk@inboxd.localhost", "blocked").await;
    let event = desk.event().await;
    assert_eq!((subject(&event), &event["event_type"]), ("blocked", &json!("message.received.blocked")));
}

#[tokio::test]
async fn what_cannot_be_streamed_is_refused_like_any_request() {
    let (server, agent, first) = started().await;
    let refusal = async |request: Request, status: u16, code: &str| {
        agent.stream(request).await.unwrap_err().refused(status, code);
    };
    refusal(Request::new("GET", &behind("x")), 404, "not_found").await;
    refusal(Request::new("GET", &behind(&first)).header("Last-Event-ID", "x"), 404, "not_found").await;
    refusal(Request::new("GET", "/v0/events?event_types=message.flown"), 400, "unknown_event_type").await;
    refusal(Request::new("GET", "/v0/events?inbox_id=nobody@inboxd.localhost"), 404, "not_found").await;
    refusal(Request::new("GET", "/v0/events?wait=x"), 422, "validation_error").await;
    let nobody = server.http().stream(Request::new("GET", "/v0/events")).await.unwrap_err();
    nobody.refused(401, "missing_authorization");
}

#[tokio::test]
async fn whoever_loses_their_key_is_told_and_hears_nothing_more() {
    let (server, agent, first) = started().await;
    for _ in 0..5 {
        let made = agent.post("/v0/api-keys", json!({"name": "short"})).await.ok();
        let key = server.http().with_key(made["api_key"].as_str().unwrap());
        let mut stream = key.stream(Request::new("GET", &behind(&first))).await.unwrap();
        let so_far = agent.get(&behind(&first)).await.ok();
        for about in subjects(&so_far) {
            assert_eq!(subject(&stream.event().await), about);
        }
        agent.delete(&format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap())).await.gone();
        mail(&server, &agent.inbox_id, "too late").await;
        let last = stream.next().await.unwrap();
        assert_eq!((last.event.as_str(), &last.id, &last.json()["code"]), ("error", &None, &json!("unknown_api_key")));
        assert_eq!(stream.next().await, None, "the stream ends");
    }
}

#[tokio::test]
async fn a_silent_stream_says_that_it_lives_and_tells_nothing_by_that() {
    let (server, agent, first) = started().await;
    let mut stream = agent.stream(Request::new("GET", &behind(&first))).await.unwrap();
    stream.comment(1).await;
    mail(&server, &agent.inbox_id, "second").await;
    let event = stream.event().await;
    assert_eq!(subject(&event), "second");
    assert_eq!(id(&event), super::newest(&agent).await);
}

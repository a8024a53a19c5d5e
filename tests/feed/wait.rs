//! `GET /v0/events?wait=…`: a request that waits for an event.

use serde_json::json;

use super::{deliver_mail, page_subjects, path_after, start_feed, start_wait, wait_response, wait_until_waiting};

#[tokio::test]
async fn waiting_request_returns_when_mail_is_stored() {
    let (server, agent, first) = start_feed().await;
    let waiting = start_wait(&agent, format!("{}&wait=60", path_after(&first)));
    wait_until_waiting().await;
    deliver_mail(&server, &agent.inbox_id, "second").await;
    let page = wait_response(waiting).await.ok();
    assert_eq!((page_subjects(&page), page.get("next_page_token")), (vec!["second".to_owned()], None));
    // An existing event is returned immediately.
    let there = start_wait(&agent, format!("{}&wait=60", path_after(&first)));
    assert_eq!(wait_response(there).await.ok(), page);
}

#[tokio::test]
async fn wait_without_cursor_returns_only_later_events() {
    let (server, agent, _) = start_feed().await;
    let waiting = start_wait(&agent, "/v0/events?wait=60".to_owned());
    wait_until_waiting().await;
    assert!(!waiting.is_finished(), "earlier events are not returned");
    deliver_mail(&server, &agent.inbox_id, "second").await;
    assert_eq!(page_subjects(&wait_response(waiting).await.ok()), ["second"]);
}

#[tokio::test]
async fn wait_returns_empty_page_after_timeout() {
    let (_server, agent, first) = start_feed().await;
    let nothing = json!({"count": 0, "limit": 50, "events": []});
    for query in [path_after(&first), "/v0/events?".to_owned()] {
        for wait in [0, 1] {
            assert_eq!(agent.get(&format!("{query}&wait={wait}")).await.ok(), nothing, "{query} {wait}");
        }
    }
}

#[tokio::test]
async fn only_matching_event_ends_wait() {
    let (server, agent, first) = start_feed().await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let of_kind = start_wait(&agent, format!("{}&event_types=message.sent&wait=60", path_after(&first)));
    let of_inbox = start_wait(&agent, format!("{}&inbox_id=desk@inboxd.localhost&wait=60", path_after(&first)));
    wait_until_waiting().await;
    deliver_mail(&server, &agent.inbox_id, "second").await;
    wait_until_waiting().await;
    assert!(!of_kind.is_finished() && !of_inbox.is_finished());
    deliver_mail(&server, "desk@inboxd.localhost", "to desk").await;
    assert_eq!(page_subjects(&wait_response(of_inbox).await.ok()), ["to desk"]);
    agent.send(json!({"to": "bob@outside.example", "subject": "sent", "text": "hello"})).await;
    assert_eq!(page_subjects(&wait_response(of_kind).await.ok()), ["message.sent"]);
}

#[tokio::test]
async fn invalid_wait_is_named() {
    let (_server, agent, first) = start_feed().await;
    for bad in ["61", "-1", "x", "1.5", "100000000000000000000"] {
        assert_eq!(agent.get(&format!("{}&wait={bad}", path_after(&first))).await.bad_fields(), ["wait"], "{bad}");
    }
    let several = format!("{}&wait=61&limit=0&start=x", path_after(&first));
    assert_eq!(agent.get(&several).await.bad_fields(), ["limit", "start", "wait"]);
    agent.get("/v0/events?wait=60&event_types=message.flown").await.require_error(400, "unknown_event_type");
}

#[tokio::test]
async fn waiting_request_is_refused_when_key_loses_right() {
    let (server, agent, first) = start_feed().await;
    let made = agent.post("/v0/api-keys", json!({"name": "short"})).await.ok();
    let path = format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap());
    let key = server.http().with_key(made["api_key"].as_str().unwrap());
    let narrowed = start_wait(&key, format!("{}&wait=60", path_after(&first)));
    wait_until_waiting().await;
    agent.patch(&path, json!({"permissions": {"message_read": true}})).await.ok();
    wait_response(narrowed).await.require_error(403, "missing_permission");
    agent.patch(&path, json!({"permissions": {"event_read": true}})).await.ok();
    let revoked = start_wait(&key, format!("{}&wait=60", path_after(&first)));
    wait_until_waiting().await;
    agent.delete(&path).await.require_no_content();
    wait_response(revoked).await.require_error(401, "unknown_api_key");
}

//! `GET /v0/events?wait=…`: a request stays open until there is something.

use serde_json::json;

use super::{answered, begin, behind, mail, started, subjects, until_it_waits};

#[tokio::test]
async fn a_request_is_answered_as_soon_as_a_mail_is_stored() {
    let (server, agent, first) = started().await;
    let waiting = begin(&agent, format!("{}&wait=60", behind(&first)));
    until_it_waits().await;
    mail(&server, &agent.inbox_id, "second").await;
    let page = answered(waiting).await.ok();
    assert_eq!((subjects(&page), page.get("next_page_token")), (vec!["second".to_owned()], None));
    // What is there already is answered at once.
    let there = begin(&agent, format!("{}&wait=60", behind(&first)));
    assert_eq!(answered(there).await.ok(), page);
}

#[tokio::test]
async fn without_a_cursor_it_waits_for_what_is_still_to_come() {
    let (server, agent, _) = started().await;
    let waiting = begin(&agent, "/v0/events?wait=60".to_owned());
    until_it_waits().await;
    assert!(!waiting.is_finished(), "what has happened before is no answer");
    mail(&server, &agent.inbox_id, "second").await;
    assert_eq!(subjects(&answered(waiting).await.ok()), ["second"]);
}

#[tokio::test]
async fn a_page_without_events_is_the_answer_when_the_time_has_run_out() {
    let (_server, agent, first) = started().await;
    let nothing = json!({"count": 0, "limit": 50, "events": []});
    for query in [behind(&first), "/v0/events?".to_owned()] {
        for wait in [0, 1] {
            assert_eq!(agent.get(&format!("{query}&wait={wait}")).await.ok(), nothing, "{query} {wait}");
        }
    }
}

#[tokio::test]
async fn only_what_was_asked_for_ends_the_wait() {
    let (server, agent, first) = started().await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let of_kind = begin(&agent, format!("{}&event_types=message.sent&wait=60", behind(&first)));
    let of_inbox = begin(&agent, format!("{}&inbox_id=desk@inboxd.localhost&wait=60", behind(&first)));
    until_it_waits().await;
    mail(&server, &agent.inbox_id, "second").await;
    until_it_waits().await;
    assert!(!of_kind.is_finished() && !of_inbox.is_finished());
    mail(&server, "desk@inboxd.localhost", "to desk").await;
    assert_eq!(subjects(&answered(of_inbox).await.ok()), ["to desk"]);
    agent.send(json!({"to": "bob@outside.example", "subject": "sent", "text": "hello"})).await;
    assert_eq!(subjects(&answered(of_kind).await.ok()), ["message.sent"]);
}

#[tokio::test]
async fn a_bad_wait_is_named() {
    let (_server, agent, first) = started().await;
    for bad in ["61", "-1", "x", "1.5", "100000000000000000000"] {
        assert_eq!(agent.get(&format!("{}&wait={bad}", behind(&first))).await.bad_fields(), ["wait"], "{bad}");
    }
    let several = format!("{}&wait=61&limit=0&start=x", behind(&first));
    assert_eq!(agent.get(&several).await.bad_fields(), ["limit", "start", "wait"]);
    agent.get("/v0/events?wait=60&event_types=message.flown").await.refused(400, "unknown_event_type");
}

#[tokio::test]
async fn whoever_loses_their_right_while_they_wait_is_refused_at_once() {
    let (server, agent, first) = started().await;
    let made = agent.post("/v0/api-keys", json!({"name": "short"})).await.ok();
    let path = format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap());
    let key = server.http().with_key(made["api_key"].as_str().unwrap());
    let narrowed = begin(&key, format!("{}&wait=60", behind(&first)));
    until_it_waits().await;
    agent.patch(&path, json!({"permissions": {"message_read": true}})).await.ok();
    answered(narrowed).await.refused(403, "missing_permission");
    agent.patch(&path, json!({"permissions": {"event_read": true}})).await.ok();
    let revoked = begin(&key, format!("{}&wait=60", behind(&first)));
    until_it_waits().await;
    agent.delete(&path).await.gone();
    answered(revoked).await.refused(401, "unknown_api_key");
}

//! `GET /v0/inboxes/{inbox_id}/messages/wait`.

use inboxd_testkit::{MailBuilder, encoded};
use serde_json::json;

use super::visibility::ScopedReaders;
use super::{deliver_mail, start_feed, start_wait, wait_response, wait_until_waiting};
use crate::support::{in_seconds, server_and_agent};

#[tokio::test]
async fn waiting_request_returns_complete_message() {
    let (server, agent, _) = start_feed().await;
    let waiting = start_wait(&agent, agent.inbox("/messages/wait?timeout=60"));
    wait_until_waiting().await;
    assert!(!waiting.is_finished(), "an earlier message is not returned");
    agent.send(json!({"to": "bob@outside.example", "subject": "sent", "text": "hello"})).await;
    deliver_mail(&server, &agent.inbox_id, "second").await;
    let found = wait_response(waiting).await.ok();
    assert_eq!(found["message"], agent.message_about("second").await);
    assert_eq!(found["message"]["extracted_text"], "About second.");
}

#[tokio::test]
async fn existing_messages_are_returned_immediately_oldest_first() {
    let (server, agent) = server_and_agent().await;
    let before = encoded(&in_seconds(0));
    for about in ["one", "two"] {
        deliver_mail(&server, &agent.inbox_id, about).await;
    }
    let found = agent.get(&agent.inbox(&format!("/messages/wait?after={before}&timeout=0"))).await.ok();
    assert_eq!(found["message"]["subject"], "one");
    let after = encoded(found["message"]["timestamp"].as_str().unwrap());
    let next =
        wait_response(start_wait(&agent, agent.inbox(&format!("/messages/wait?after={after}&timeout=60")))).await.ok();
    assert_eq!(next["message"]["subject"], "two", "strictly after the given time");
}

#[tokio::test]
async fn timeout_returns_no_message() {
    let (_server, agent, _) = start_feed().await;
    for timeout in [0, 1] {
        assert_eq!(agent.get(&agent.inbox(&format!("/messages/wait?timeout={timeout}"))).await.ok(), json!({}));
    }
}

#[tokio::test]
async fn only_matching_message_ends_wait() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let query = "/messages/wait?from=BOB&from=outside&subject=code&timeout=60";
    let waiting = start_wait(&agent, agent.inbox(query));
    wait_until_waiting().await;
    let deliver = async |from: &str, to: &str, subject: &str| {
        let mail = MailBuilder::new(from, to, subject, "hello");
        server.deliver("x@outside.example", &[to], mail.raw()).await.require_code(250, "2");
    };
    deliver("Alice <alice@outside.example>", &agent.inbox_id, "Your code").await;
    deliver("Bob <bob@outside.example>", &agent.inbox_id, "Lunch?").await;
    deliver("Bob <bob@inside.example>", &agent.inbox_id, "Your code").await;
    deliver("Bob <bob@outside.example>", "desk@inboxd.localhost", "Your code").await;
    wait_until_waiting().await;
    assert!(!waiting.is_finished());
    deliver("Bob <bob@outside.example>", &agent.inbox_id, "Your code, at last").await;
    assert_eq!(wait_response(waiting).await.ok()["message"]["subject"], "Your code, at last");
}

#[tokio::test]
async fn hidden_mail_ends_wait_only_when_included_and_permitted() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/lists/receive/block", json!({"entry": "evil.example"})).await.ok();
    let map = json!({"permissions": {"message_read": true, "event_read": true}});
    let blind = agent.create_key("/v0/api-keys", map).await;
    let after = encoded(&in_seconds(0));
    let target = |rest: &str| agent.inbox(&format!("/messages/wait?after={after}&timeout=60{rest}"));
    let plain = start_wait(&agent, target(""));
    let including = start_wait(&agent, target("&include_blocked=true"));
    let other_label = start_wait(&agent, target("&include_spam=true"));
    let lacking = start_wait(&blind, target("&include_blocked=true"));
    wait_until_waiting().await;
    let blocked = MailBuilder::new("Eve <eve@evil.example>", &agent.inbox_id, "blocked", "hello");
    server.deliver("eve@evil.example", &[&agent.inbox_id], blocked.raw()).await.require_code(250, "2");
    assert_eq!(wait_response(including).await.ok()["message"]["subject"], "blocked");
    deliver_mail(&server, &agent.inbox_id, "welcome").await;
    for waiting in [plain, other_label, lacking] {
        assert_eq!(wait_response(waiting).await.ok()["message"]["subject"], "welcome");
    }
}

#[tokio::test]
async fn wait_refuses_other_inboxes_and_invalid_values() {
    let readers = ScopedReaders::new().await;
    let path = |inbox: &str, rest: &str| format!("/v0/inboxes/{inbox}/messages/wait?timeout=60{rest}");
    readers.of_inbox.get(&path(&readers.ranger, "")).await.require_error(403, "inbox_out_of_scope");
    readers.of_pod.get(&path(&readers.ranger, "")).await.require_error(403, "pod_out_of_scope");
    readers.member.get(&path(&readers.agent.inbox_id, "")).await.require_error(403, "inbox_out_of_scope");
    readers.agent.get(&path("nobody@inboxd.localhost", "")).await.require_error(404, "not_found");
    let blind = readers.agent.create_key("/v0/api-keys", json!({"permissions": {"event_read": true}})).await;
    let refusal = blind.get(&path(&readers.ranger, "")).await.require_error(403, "missing_permission");
    assert!(refusal["fix"].as_str().unwrap().contains("message_read"), "{refusal:#}");
    for (bad, field) in [("timeout=61", "timeout"), ("timeout=x", "timeout"), ("after=yesterday", "after")] {
        let target = format!("/v0/inboxes/{}/messages/wait?{bad}", readers.ranger);
        assert_eq!(readers.agent.get(&target).await.bad_fields(), [field], "{bad}");
    }
}

#[tokio::test]
async fn waiting_request_is_refused_when_key_loses_right() {
    let readers = ScopedReaders::new().await;
    let waiting = start_wait(&readers.of_inbox, readers.agent.inbox("/messages/wait?timeout=60"));
    wait_until_waiting().await;
    let keys = readers.agent.get(&readers.agent.inbox("/api-keys")).await.ok();
    let key = keys["api_keys"][0]["api_key_id"].as_str().unwrap();
    readers.agent.delete(&format!("/v0/api-keys/{key}")).await.require_no_content();
    deliver_mail(&readers.server, &readers.agent.inbox_id, "too late").await;
    wait_response(waiting).await.require_error(401, "unknown_api_key");
}

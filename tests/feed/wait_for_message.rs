//! `GET /v0/inboxes/{inbox_id}/messages/wait`.

use inboxd_testkit::{Mail, encoded};
use serde_json::json;

use super::reach::Land;
use super::{answered, begin, mail, started, until_it_waits};
use crate::support::{in_seconds, server_and_agent};

#[tokio::test]
async fn a_message_is_answered_whole_as_soon_as_it_is_stored() {
    let (server, agent, _) = started().await;
    let waiting = begin(&agent, agent.inbox("/messages/wait?timeout=60"));
    until_it_waits().await;
    assert!(!waiting.is_finished(), "what came before is no answer");
    agent.send(json!({"to": "bob@outside.example", "subject": "sent", "text": "hello"})).await;
    mail(&server, &agent.inbox_id, "second").await;
    let found = answered(waiting).await.ok();
    assert_eq!(found["message"], agent.message_about("second").await);
    assert_eq!(found["message"]["extracted_text"], "About second.");
}

#[tokio::test]
async fn a_message_that_is_there_is_answered_at_once_the_oldest_first() {
    let (server, agent) = server_and_agent().await;
    let before = encoded(&in_seconds(0));
    for about in ["one", "two"] {
        mail(&server, &agent.inbox_id, about).await;
    }
    let found = agent.get(&agent.inbox(&format!("/messages/wait?after={before}&timeout=0"))).await.ok();
    assert_eq!(found["message"]["subject"], "one");
    let after = encoded(found["message"]["timestamp"].as_str().unwrap());
    let next = answered(begin(&agent, agent.inbox(&format!("/messages/wait?after={after}&timeout=60")))).await.ok();
    assert_eq!(next["message"]["subject"], "two", "strictly after the moment that was named");
}

#[tokio::test]
async fn no_message_in_time_is_an_answer_without_one() {
    let (_server, agent, _) = started().await;
    for timeout in [0, 1] {
        assert_eq!(agent.get(&agent.inbox(&format!("/messages/wait?timeout={timeout}"))).await.ok(), json!({}));
    }
}

#[tokio::test]
async fn only_a_message_that_matches_ends_the_wait() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let query = "/messages/wait?from=BOB&from=outside&subject=code&timeout=60";
    let waiting = begin(&agent, agent.inbox(query));
    until_it_waits().await;
    let deliver = async |from: &str, to: &str, subject: &str| {
        let mail = Mail::new(from, to, subject, "hello");
        server.deliver("x@outside.example", &[to], mail.raw()).await.is(250, "2");
    };
    deliver("Alice <alice@outside.example>", &agent.inbox_id, "Your code").await;
    deliver("Bob <bob@outside.example>", &agent.inbox_id, "Lunch?").await;
    deliver("Bob <bob@inside.example>", &agent.inbox_id, "Your code").await;
    deliver("Bob <bob@outside.example>", "desk@inboxd.localhost", "Your code").await;
    until_it_waits().await;
    assert!(!waiting.is_finished());
    deliver("Bob <bob@outside.example>", &agent.inbox_id, "Your code, at last").await;
    assert_eq!(answered(waiting).await.ok()["message"]["subject"], "Your code, at last");
}

#[tokio::test]
async fn hidden_mail_counts_for_those_who_ask_for_it_and_may_read_it() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/lists/receive/block", json!({"entry": "evil.example"})).await.ok();
    let map = json!({"permissions": {"message_read": true, "event_read": true}});
    let blind = agent.key_with("/v0/api-keys", map).await;
    let after = encoded(&in_seconds(0));
    let target = |rest: &str| agent.inbox(&format!("/messages/wait?after={after}&timeout=60{rest}"));
    let plain = begin(&agent, target(""));
    let including = begin(&agent, target("&include_blocked=true"));
    let other_label = begin(&agent, target("&include_spam=true"));
    let lacking = begin(&blind, target("&include_blocked=true"));
    until_it_waits().await;
    let blocked = Mail::new("Eve <eve@evil.example>", &agent.inbox_id, "blocked", "hello");
    server.deliver("eve@evil.example", &[&agent.inbox_id], blocked.raw()).await.is(250, "2");
    assert_eq!(answered(including).await.ok()["message"]["subject"], "blocked");
    mail(&server, &agent.inbox_id, "welcome").await;
    for waiting in [plain, other_label, lacking] {
        assert_eq!(answered(waiting).await.ok()["message"]["subject"], "welcome");
    }
}

#[tokio::test]
async fn other_inboxes_are_out_of_scope_and_bad_values_are_named() {
    let land = Land::new().await;
    let path = |inbox: &str, rest: &str| format!("/v0/inboxes/{inbox}/messages/wait?timeout=60{rest}");
    land.of_inbox.get(&path(&land.ranger, "")).await.refused(403, "inbox_out_of_scope");
    land.of_pod.get(&path(&land.ranger, "")).await.refused(403, "pod_out_of_scope");
    land.member.get(&path(&land.agent.inbox_id, "")).await.refused(403, "inbox_out_of_scope");
    land.agent.get(&path("nobody@inboxd.localhost", "")).await.refused(404, "not_found");
    let blind = land.agent.key_with("/v0/api-keys", json!({"permissions": {"event_read": true}})).await;
    let refusal = blind.get(&path(&land.ranger, "")).await.refused(403, "missing_permission");
    assert!(refusal["fix"].as_str().unwrap().contains("message_read"), "{refusal:#}");
    for (bad, field) in [("timeout=61", "timeout"), ("timeout=x", "timeout"), ("after=yesterday", "after")] {
        let target = format!("/v0/inboxes/{}/messages/wait?{bad}", land.ranger);
        assert_eq!(land.agent.get(&target).await.bad_fields(), [field], "{bad}");
    }
}

#[tokio::test]
async fn whoever_loses_their_right_while_they_wait_is_refused_at_once() {
    let land = Land::new().await;
    let waiting = begin(&land.of_inbox, land.agent.inbox("/messages/wait?timeout=60"));
    until_it_waits().await;
    let keys = land.agent.get(&land.agent.inbox("/api-keys")).await.ok();
    let key = keys["api_keys"][0]["api_key_id"].as_str().unwrap();
    land.agent.delete(&format!("/v0/api-keys/{key}")).await.gone();
    mail(&land.server, &land.agent.inbox_id, "too late").await;
    answered(waiting).await.refused(401, "unknown_api_key");
}

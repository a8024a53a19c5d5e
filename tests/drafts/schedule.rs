//! Scheduled drafts: sent at the right second, once, as whoever wrote them, whatever happens to the server.

use std::cell::Cell;
use std::time::{Duration, Instant};

use inboxd_testkit::{Persona, Server, eventually};
use serde_json::{Value, json};

use super::{come_due, in_seconds, later, path, write};
use crate::people::{joined, path_of};
use crate::support::{beside, server_and_agent};

/// The message that a scheduled draft became.
async fn sent(agent: &Persona, subject: &str) -> Value {
    eventually(&format!("{subject} is sent"), async || {
        agent.messages().await.into_iter().find(|message| message["subject"] == subject)
    })
    .await
}

async fn failed(agent: &Persona, draft: &Value) -> Value {
    eventually("the draft fails", async || {
        let draft = agent.get(&path(agent, draft, "")).await.ok();
        (draft["send_status"] == "failed").then_some(draft)
    })
    .await
}

/// Brings all scheduled drafts forward by the same time, so that the first is due at this one.
async fn bring_forward(server: &Server, at: &str) {
    let text = format!(
        "UPDATE drafts SET send_at = send_at - step, due_at = due_at - step
        FROM (SELECT min(due_at) - '{at}'::timestamptz AS step FROM drafts) AS first WHERE due_at IS NOT NULL"
    );
    server.database().execute(&text).await;
}

async fn rejected(agent: &Persona) -> Vec<Value> {
    agent.get("/v0/events?event_types=message.rejected").await.ok()["events"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_scheduled_draft_is_sent_as_whoever_wrote_it_last_at_the_right_second_once() {
    let (server, agent) = server_and_agent().await;
    let made = agent.post("/v0/api-keys", json!({"name": "author"})).await.ok();
    let author = agent.with_key(made["api_key"].as_str().unwrap());
    let body = json!({"to": "bob@outside.example", "subject": "begun", "text": "x", "labels": ["mine"]});
    let draft = agent.post(&agent.inbox("/drafts"), body).await.ok();
    let change = json!({"subject": "due", "send_at": later()});
    let scheduled = author.patch(&path(&agent, &draft, ""), change).await.ok();
    assert_eq!(scheduled["send_status"], "scheduled");
    assert_eq!(agent.messages().await.len(), 0);
    let at = in_seconds(2);
    bring_forward(&server, &at).await;
    let (message, slowest) = sent_at_pace(&agent, "due").await;
    assert_eq!(message["sent_by"], json!({"type": "api_key", "api_key_id": made["api_key_id"], "name": "author"}));
    let (accepted, at) = (message["timestamp"].as_str().unwrap(), at.as_str());
    assert!(accepted >= at, "sent at {accepted}, before {at}");
    // A machine that takes long over a list takes as long over each step of a send.
    let allowed = 1000 + 4 * i64::try_from(slowest.as_millis()).unwrap();
    assert!(late_by(at, accepted) < allowed, "due at {at}, sent at {accepted}, {slowest:?}");
    let labels = message["labels"].as_array().unwrap();
    assert!(labels.contains(&json!("mine")) && !labels.contains(&json!("draft")), "{labels:?}");
    agent.get(&path(&agent, &draft, "")).await.refused(404, "not_found");
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(agent.messages().await.len(), 1);
}

/// Waits for the message that a scheduled draft becomes, and returns the longest that a list took meanwhile as well.
async fn sent_at_pace(agent: &Persona, subject: &str) -> (Value, Duration) {
    let slowest = Cell::new(Duration::ZERO);
    let message = eventually(&format!("{subject} is sent"), async || {
        let begun = Instant::now();
        let messages = agent.messages().await;
        slowest.set(slowest.get().max(begun.elapsed()));
        messages.into_iter().find(|message| message["subject"] == subject)
    })
    .await;
    (message, slowest.get())
}

/// The milliseconds between two times of the same hour.
fn late_by(due: &str, sent: &str) -> i64 {
    let millis = |time: &str| {
        let number = |from: usize, to: usize| time[from..to].parse::<i64>().unwrap();
        ((number(11, 13) * 60 + number(14, 16)) * 60 + number(17, 19)) * 1000 + number(20, 23)
    };
    (millis(sent) - millis(due)).rem_euclid(86_400_000)
}

#[tokio::test]
async fn an_unscheduled_or_deleted_draft_is_not_sent() {
    let (server, agent) = server_and_agent().await;
    let mut drafts = Vec::new();
    for subject in ["unscheduled", "deleted", "later", "sent"] {
        let body = json!({"to": "bob@outside.example", "subject": subject, "text": "x", "send_at": later()});
        drafts.push(write(&agent, body).await);
    }
    agent.patch(&path(&agent, &drafts[0], ""), json!({"send_at": null})).await.ok();
    agent.delete(&path(&agent, &drafts[1], "")).await.gone();
    agent.patch(&path(&agent, &drafts[2], ""), json!({"send_at": in_seconds(7200)})).await.ok();
    bring_forward(&server, &in_seconds(1)).await;
    sent(&agent, "sent").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(agent.messages().await.len(), 1);
    assert_eq!(agent.get("/v0/drafts").await.ok()["count"], 2);
}

#[tokio::test]
async fn a_draft_whose_time_came_while_the_server_was_down_is_sent_once_after_a_restart() {
    let (mut server, agent) = server_and_agent().await;
    for number in 0..5 {
        let body =
            json!({"to": "bob@outside.example", "subject": format!("{number}"), "text": "x", "send_at": later()});
        write(&agent, body).await;
    }
    server.kill_9().await;
    come_due(&server).await;
    // One of them was being sent: its lease runs out.
    server
        .database()
        .execute(
            "UPDATE drafts SET revision = revision + 1, claimed_until = now() + interval '2 seconds',
                due_at = now() + interval '2 seconds' WHERE subject = '0'",
        )
        .await;
    server.restart().await;
    let agent = agent.at(&server);
    for number in 0..5 {
        sent(&agent, &format!("{number}")).await;
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(agent.messages().await.len(), 5);
    assert_eq!(agent.get("/v0/drafts").await.ok()["count"], 0);
}

#[tokio::test]
async fn drafts_that_were_being_sent_when_the_server_was_killed_are_sent_once() {
    let (mut server, agent) = server_and_agent().await;
    let at = later();
    for number in 0..60 {
        let body = json!({"to": "bob@outside.example", "subject": format!("{number}"), "text": "x", "send_at": at});
        write(&agent, body).await;
    }
    come_due(&server).await;
    eventually("some are sent", async || (agent.messages().await.len() > 3).then_some(())).await;
    server.kill_9().await;
    // The leases of the dead run out.
    server
        .database()
        .execute("UPDATE drafts SET claimed_until = now(), due_at = now() WHERE claimed_until IS NOT NULL")
        .await;
    server.restart().await;
    let agent = agent.at(&server);
    eventually("every draft is sent", async || (agent.get("/v0/drafts").await.ok()["count"] == 0).then_some(())).await;
    let messages = agent.messages().await;
    let subjects: std::collections::BTreeSet<_> = messages.iter().map(|message| message["subject"].as_str()).collect();
    assert_eq!((messages.len(), subjects.len()), (60, 60));
    let events = agent.get("/v0/events?event_types=message.sent&limit=200").await.ok();
    assert_eq!(events["count"], 60);
}

#[tokio::test]
async fn several_processes_send_each_draft_once() {
    let (server, agent) = server_and_agent().await;
    let (_second, _third) = (beside(&server).start().await, beside(&server).start().await);
    let at = later();
    for number in 0..30 {
        let body = json!({"to": "bob@outside.example", "subject": format!("{number}"), "text": "x", "send_at": at});
        write(&agent, body).await;
    }
    // Each process knows the time before it comes, and looks for drafts at that moment.
    bring_forward(&server, &in_seconds(2)).await;
    eventually("every draft is sent", async || (agent.get("/v0/drafts").await.ok()["count"] == 0).then_some(())).await;
    let mut subjects: Vec<String> =
        agent.messages().await.iter().map(|message| message["subject"].as_str().unwrap().to_owned()).collect();
    subjects.sort();
    let mut expected: Vec<String> = (0..30).map(|number| number.to_string()).collect();
    expected.sort();
    assert_eq!(subjects, expected);
    assert_eq!(rejected(&agent).await.len(), 0);
}

#[tokio::test]
async fn what_a_cap_or_a_suppression_refuses_then_fails_with_message_rejected() {
    let (server, agent) = server_and_agent().await;
    agent.send(json!({"to": "bob@outside.example", "text": "so that sends are counted"})).await;
    server.database().execute("UPDATE send_counts SET count = 100").await;
    let body =
        json!({"to": "bob@outside.example", "subject": "capped", "text": "x", "send_at": later(), "labels": ["mine"]});
    let draft = write(&agent, body).await;
    let at = come_due(&server).await;
    let after = failed(&agent, &draft).await;
    assert_eq!((&after["labels"], &after["send_at"]), (&json!(["draft", "mine"]), &json!(at)));
    let event = rejected(&agent).await.remove(0);
    let reason = event["reject"]["reason"].as_str().unwrap();
    assert!(reason.contains("limit of 100") && reason.contains(draft["draft_id"].as_str().unwrap()), "{event:#}");
    assert_eq!(event["inbox_id"], agent.inbox_id);
    assert!(event["message_id"].as_str().unwrap().ends_with("@signup.inboxd.localhost>"), "{event:#}");
    assert!(event["thread_id"].as_str().unwrap().starts_with("thr_"), "{event:#}");
    agent.get(&agent.message(&event["message_id"], "")).await.refused(404, "not_found");
    // It stays failed, and can be scheduled anew.
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(rejected(&agent).await.len(), 1);
    server.database().execute("UPDATE send_counts SET count = 1").await;
    let again = agent.patch(&path(&agent, &draft, ""), json!({"send_at": later()})).await.ok();
    assert_eq!(
        (&again["send_status"], &again["labels"]),
        (&json!("scheduled"), &json!(["draft", "mine", "scheduled"]))
    );
    come_due(&server).await;
    sent(&agent, "capped").await;

    let suppress = format!(
        "INSERT INTO suppressions SELECT organization_id, 'carol@outside.example', 'complaint', now() FROM organizations
        WHERE owner_email = '{}'",
        agent.owner
    );
    server.database().execute(&suppress).await;
    let body = json!({"to": "carol@outside.example", "subject": "unwanted", "text": "x", "send_at": later()});
    let unwanted = write(&agent, body).await;
    come_due(&server).await;
    failed(&agent, &unwanted).await;
    let event = rejected(&agent).await.remove(0);
    assert!(event["reject"]["reason"].as_str().unwrap().contains("carol@outside.example is suppressed"), "{event:#}");
}

#[tokio::test]
async fn an_author_whose_rights_are_gone_fails_with_message_rejected() {
    let (server, agent) = server_and_agent().await;
    let mut drafts = Vec::new();
    for (name, body) in [("revoked", json!({})), ("expired", json!({"expires_at": later()}))] {
        let mut key = body;
        key["name"] = json!(name);
        let made = agent.post("/v0/api-keys", key).await.ok();
        let author = agent.with_key(made["api_key"].as_str().unwrap());
        let body = json!({"to": "bob@outside.example", "subject": name, "text": "x", "send_at": later()});
        drafts.push(author.post(&agent.inbox("/drafts"), body).await.ok());
        if name == "revoked" {
            agent.delete(&format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap())).await.gone();
        }
    }
    server.database().execute("UPDATE api_keys SET expires_at = now() WHERE expires_at IS NOT NULL").await;
    come_due(&server).await;
    for draft in &drafts {
        failed(&agent, draft).await;
    }
    assert_eq!(rejected(&agent).await.len(), 2);
    assert_eq!(agent.messages().await.len(), 0);
    // Somebody else may send it in their own name.
    let message = agent.post(&path(&agent, &drafts[0], "/send"), json!({})).await.ok();
    assert_eq!(agent.messages().await[0]["message_id"], message["message_id"]);
}

#[tokio::test]
async fn an_author_who_lost_the_permission_fails() {
    let (server, agent) = server_and_agent().await;
    let permissions = json!({"draft_create": true, "draft_send": true, "draft_read": true});
    let made = agent.post("/v0/api-keys", json!({"name": "author", "permissions": permissions})).await.ok();
    let author = agent.with_key(made["api_key"].as_str().unwrap());
    let body = json!({"to": "bob@outside.example", "subject": "late", "text": "x", "send_at": later()});
    let draft = author.post(&agent.inbox("/drafts"), body).await.ok();
    let key = format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap());
    let narrower = json!({"permissions": {"draft_create": true, "draft_read": true}});
    agent.patch(&key, narrower).await.ok();
    come_due(&server).await;
    failed(&agent, &draft).await;
    let events = rejected(&agent).await;
    assert_eq!(events.len(), 1, "{events:#?}");
    assert!(events[0]["reject"]["reason"].as_str().unwrap().contains("draft_send"), "{:#}", events[0]);
    assert_eq!(agent.messages().await.len(), 0);
    // What it may do is asked for anew each time.
    let back = json!({"permissions": {"draft_read": true, "draft_update": true, "draft_send": true}});
    agent.patch(&key, back).await.ok();
    author.patch(&path(&agent, &draft, ""), json!({"send_at": later()})).await.ok();
    come_due(&server).await;
    let message = sent(&agent, "late").await;
    assert_eq!(message["sent_by"]["api_key_id"], made["api_key_id"]);
}

#[tokio::test]
async fn the_draft_of_a_member_who_was_removed_or_limited_fails_with_message_rejected() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let mut drafts = Vec::new();
    let at = later();
    for email in ["removed@example.org", "limited@example.org", "stays@example.org"] {
        let member = joined(&server, &agent, email, "member", json!([])).await;
        let body = json!({"to": "bob@outside.example", "subject": email, "text": "x", "send_at": at});
        drafts.push(member.post(&agent.inbox("/drafts"), body).await.ok());
    }
    agent.delete(&path_of(&agent, "removed@example.org").await).await.gone();
    let limit = json!({"inbox_ids": ["desk@inboxd.localhost"]});
    agent.patch(&path_of(&agent, "limited@example.org").await, limit).await.ok();
    come_due(&server).await;
    for draft in &drafts[..2] {
        failed(&agent, draft).await;
    }
    let message = sent(&agent, "stays@example.org").await;
    assert_eq!(message["sent_by"]["email"], "stays@example.org");
    let reasons: Vec<String> =
        rejected(&agent).await.iter().map(|event| event["reject"]["reason"].as_str().unwrap().to_owned()).collect();
    assert_eq!(reasons.len(), 2, "{reasons:?}");
    for draft in &drafts[..2] {
        let id = draft["draft_id"].as_str().unwrap();
        assert!(reasons.iter().any(|reason| reason.contains(id)), "{reasons:?}");
    }
    assert_eq!(agent.messages().await.len(), 1);
}

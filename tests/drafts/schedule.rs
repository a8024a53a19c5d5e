//! Scheduled drafts: sent once, on time, with the rights of the author, also across crashes.

use std::cell::Cell;
use std::time::{Duration, Instant};

use inboxd_testkit::{Persona, TestServer, eventually};
use serde_json::{Value, json};

use super::{create_draft, draft_path, far_future, in_seconds, make_due};
use crate::people::{invite_and_join, member_path};
use crate::support::{second_process, server_and_agent};

/// Returns the message of a sent draft.
async fn wait_for_sent(agent: &Persona, subject: &str) -> Value {
    eventually(&format!("{subject} is sent"), async || {
        agent.messages().await.into_iter().find(|message| message["subject"] == subject)
    })
    .await
}

async fn wait_for_failed(agent: &Persona, draft: &Value) -> Value {
    eventually("the draft fails", async || {
        let draft = agent.get(&draft_path(agent, draft, "")).await.ok();
        (draft["send_status"] == "failed").then_some(draft)
    })
    .await
}

/// Moves all scheduled drafts by the same time, so that the first is due at this one.
async fn bring_forward(server: &TestServer, at: &str) {
    let text = format!(
        "UPDATE drafts SET send_at = send_at - step, due_at = due_at - step
        FROM (SELECT min(due_at) - '{at}'::timestamptz AS step FROM drafts) AS first WHERE due_at IS NOT NULL"
    );
    server.database().execute(&text).await;
}

async fn rejected_events(agent: &Persona) -> Vec<Value> {
    agent.get("/v0/events?event_types=message.rejected").await.ok()["events"].as_array().unwrap().clone()
}

#[tokio::test]
async fn scheduled_draft_is_sent_once_on_time_as_last_author() {
    let (server, agent) = server_and_agent().await;
    let made = agent.post("/v0/api-keys", json!({"name": "author"})).await.ok();
    let author = agent.with_key(made["api_key"].as_str().unwrap());
    let body = json!({"to": "bob@outside.example", "subject": "begun", "text": "x", "labels": ["mine"]});
    let draft = agent.post(&agent.inbox("/drafts"), body).await.ok();
    let change = json!({"subject": "due", "send_at": far_future()});
    let scheduled = author.patch(&draft_path(&agent, &draft, ""), change).await.ok();
    assert_eq!(scheduled["send_status"], "scheduled");
    assert_eq!(agent.messages().await.len(), 0);
    let at = in_seconds(2);
    bring_forward(&server, &at).await;
    let (message, slowest) = wait_for_sent_with_pace(&agent, "due").await;
    assert_eq!(message["sent_by"], json!({"type": "api_key", "api_key_id": made["api_key_id"], "name": "author"}));
    let (accepted, at) = (message["timestamp"].as_str().unwrap(), at.as_str());
    assert!(accepted >= at, "sent at {accepted}, before {at}");
    // On a slow machine each step of a send takes as long as a list.
    let allowed = 1000 + 4 * i64::try_from(slowest.as_millis()).unwrap();
    assert!(delay_millis(at, accepted) < allowed, "due at {at}, sent at {accepted}, {slowest:?}");
    let labels = message["labels"].as_array().unwrap();
    assert!(labels.contains(&json!("mine")) && !labels.contains(&json!("draft")), "{labels:?}");
    agent.get(&draft_path(&agent, &draft, "")).await.require_error(404, "not_found");
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(agent.messages().await.len(), 1);
}

/// Waits for the message of a scheduled draft; also returns the longest duration of a list request.
async fn wait_for_sent_with_pace(agent: &Persona, subject: &str) -> (Value, Duration) {
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

/// Returns the milliseconds between two times of the same hour.
fn delay_millis(due: &str, sent: &str) -> i64 {
    let millis = |time: &str| {
        let number = |from: usize, to: usize| time[from..to].parse::<i64>().unwrap();
        ((number(11, 13) * 60 + number(14, 16)) * 60 + number(17, 19)) * 1000 + number(20, 23)
    };
    (millis(sent) - millis(due)).rem_euclid(86_400_000)
}

#[tokio::test]
async fn unscheduled_or_deleted_draft_is_not_sent() {
    let (server, agent) = server_and_agent().await;
    let mut drafts = Vec::new();
    for subject in ["unscheduled", "deleted", "later", "sent"] {
        let body = json!({"to": "bob@outside.example", "subject": subject, "text": "x", "send_at": far_future()});
        drafts.push(create_draft(&agent, body).await);
    }
    agent.patch(&draft_path(&agent, &drafts[0], ""), json!({"send_at": null})).await.ok();
    agent.delete(&draft_path(&agent, &drafts[1], "")).await.require_no_content();
    agent.patch(&draft_path(&agent, &drafts[2], ""), json!({"send_at": in_seconds(7200)})).await.ok();
    bring_forward(&server, &in_seconds(1)).await;
    wait_for_sent(&agent, "sent").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(agent.messages().await.len(), 1);
    assert_eq!(agent.get("/v0/drafts").await.ok()["count"], 2);
}

#[tokio::test]
async fn draft_due_during_downtime_is_sent_once_after_restart() {
    let (mut server, agent) = server_and_agent().await;
    for number in 0..5 {
        let body =
            json!({"to": "bob@outside.example", "subject": format!("{number}"), "text": "x", "send_at": far_future()});
        create_draft(&agent, body).await;
    }
    server.kill().await;
    make_due(&server).await;
    // One of the drafts was claimed: its lease expires.
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
        wait_for_sent(&agent, &format!("{number}")).await;
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(agent.messages().await.len(), 5);
    assert_eq!(agent.get("/v0/drafts").await.ok()["count"], 0);
}

#[tokio::test]
async fn claimed_drafts_of_killed_server_are_sent_once() {
    let (mut server, agent) = server_and_agent().await;
    let at = far_future();
    for number in 0..30 {
        let body = json!({"to": "bob@outside.example", "subject": format!("{number}"), "text": "x", "send_at": at});
        create_draft(&agent, body).await;
    }
    make_due(&server).await;
    eventually("some are sent", async || (agent.messages().await.len() > 3).then_some(())).await;
    server.kill().await;
    // The leases of the killed process expire.
    server
        .database()
        .execute("UPDATE drafts SET claimed_until = now(), due_at = now() WHERE claimed_until IS NOT NULL")
        .await;
    server.restart().await;
    let agent = agent.at(&server);
    eventually("every draft is sent", async || (agent.get("/v0/drafts").await.ok()["count"] == 0).then_some(())).await;
    let messages = agent.messages().await;
    let subjects: std::collections::BTreeSet<_> = messages.iter().map(|message| message["subject"].as_str()).collect();
    assert_eq!((messages.len(), subjects.len()), (30, 30));
    let events = agent.get("/v0/events?event_types=message.sent&limit=200").await.ok();
    assert_eq!(events["count"], 30);
}

#[tokio::test]
async fn concurrent_processes_send_each_draft_once() {
    let (server, agent) = server_and_agent().await;
    let (_second, _third) = (second_process(&server).start().await, second_process(&server).start().await);
    let at = far_future();
    for number in 0..30 {
        let body = json!({"to": "bob@outside.example", "subject": format!("{number}"), "text": "x", "send_at": at});
        create_draft(&agent, body).await;
    }
    // Each process knows the due time and checks for drafts at that moment.
    bring_forward(&server, &in_seconds(2)).await;
    eventually("every draft is sent", async || (agent.get("/v0/drafts").await.ok()["count"] == 0).then_some(())).await;
    let mut subjects: Vec<String> =
        agent.messages().await.iter().map(|message| message["subject"].as_str().unwrap().to_owned()).collect();
    subjects.sort();
    let mut expected: Vec<String> = (0..30).map(|number| number.to_string()).collect();
    expected.sort();
    assert_eq!(subjects, expected);
    assert_eq!(rejected_events(&agent).await.len(), 0);
}

#[tokio::test]
async fn due_draft_refused_by_cap_or_suppression_is_rejected() {
    let (server, agent) = server_and_agent().await;
    agent.send(json!({"to": "bob@outside.example", "text": "so that sends are counted"})).await;
    server.database().execute("UPDATE send_counts SET count = 100").await;
    let body = json!({"to": "bob@outside.example", "subject": "capped", "text": "x", "send_at": far_future(), "labels": ["mine"]});
    let draft = create_draft(&agent, body).await;
    let at = make_due(&server).await;
    let after = wait_for_failed(&agent, &draft).await;
    assert_eq!((&after["labels"], &after["send_at"]), (&json!(["draft", "mine"]), &json!(at)));
    let event = rejected_events(&agent).await.remove(0);
    let reason = event["reject"]["reason"].as_str().unwrap();
    assert!(reason.contains("limit of 100") && reason.contains(draft["draft_id"].as_str().unwrap()), "{event:#}");
    assert_eq!(event["inbox_id"], agent.inbox_id);
    assert!(event["message_id"].as_str().unwrap().ends_with("@signup.inboxd.localhost>"), "{event:#}");
    assert!(event["thread_id"].as_str().unwrap().starts_with("thr_"), "{event:#}");
    agent.get(&agent.message(&event["message_id"], "")).await.require_error(404, "not_found");
    // The draft stays failed and can be scheduled again.
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(rejected_events(&agent).await.len(), 1);
    server.database().execute("UPDATE send_counts SET count = 1").await;
    let again = agent.patch(&draft_path(&agent, &draft, ""), json!({"send_at": far_future()})).await.ok();
    assert_eq!(
        (&again["send_status"], &again["labels"]),
        (&json!("scheduled"), &json!(["draft", "mine", "scheduled"]))
    );
    make_due(&server).await;
    wait_for_sent(&agent, "capped").await;

    let suppress = format!(
        "INSERT INTO suppressions SELECT organization_id, 'carol@outside.example', 'complaint', now() FROM organizations
        WHERE owner_email = '{}'",
        agent.owner
    );
    server.database().execute(&suppress).await;
    let body = json!({"to": "carol@outside.example", "subject": "unwanted", "text": "x", "send_at": far_future()});
    let unwanted = create_draft(&agent, body).await;
    make_due(&server).await;
    wait_for_failed(&agent, &unwanted).await;
    let event = rejected_events(&agent).await.remove(0);
    assert!(event["reject"]["reason"].as_str().unwrap().contains("carol@outside.example is suppressed"), "{event:#}");
}

#[tokio::test]
async fn due_draft_of_revoked_author_is_rejected() {
    let (server, agent) = server_and_agent().await;
    let mut drafts = Vec::new();
    for (name, body) in [("revoked", json!({})), ("expired", json!({"expires_at": far_future()}))] {
        let mut key = body;
        key["name"] = json!(name);
        let made = agent.post("/v0/api-keys", key).await.ok();
        let author = agent.with_key(made["api_key"].as_str().unwrap());
        let body = json!({"to": "bob@outside.example", "subject": name, "text": "x", "send_at": far_future()});
        drafts.push(author.post(&agent.inbox("/drafts"), body).await.ok());
        if name == "revoked" {
            agent.delete(&format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap())).await.require_no_content();
        }
    }
    server.database().execute("UPDATE api_keys SET expires_at = now() WHERE expires_at IS NOT NULL").await;
    make_due(&server).await;
    for draft in &drafts {
        wait_for_failed(&agent, draft).await;
    }
    assert_eq!(rejected_events(&agent).await.len(), 2);
    assert_eq!(agent.messages().await.len(), 0);
    // Another author may send it.
    let message = agent.post(&draft_path(&agent, &drafts[0], "/send"), json!({})).await.ok();
    assert_eq!(agent.messages().await[0]["message_id"], message["message_id"]);
}

#[tokio::test]
async fn due_draft_of_author_without_permission_fails() {
    let (server, agent) = server_and_agent().await;
    let permissions = json!({"draft_create": true, "draft_send": true, "draft_read": true});
    let made = agent.post("/v0/api-keys", json!({"name": "author", "permissions": permissions})).await.ok();
    let author = agent.with_key(made["api_key"].as_str().unwrap());
    let body = json!({"to": "bob@outside.example", "subject": "late", "text": "x", "send_at": far_future()});
    let draft = author.post(&agent.inbox("/drafts"), body).await.ok();
    let key = format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap());
    let narrower = json!({"permissions": {"draft_create": true, "draft_read": true}});
    agent.patch(&key, narrower).await.ok();
    make_due(&server).await;
    wait_for_failed(&agent, &draft).await;
    let events = rejected_events(&agent).await;
    assert_eq!(events.len(), 1, "{events:#?}");
    assert!(events[0]["reject"]["reason"].as_str().unwrap().contains("draft_send"), "{:#}", events[0]);
    assert_eq!(agent.messages().await.len(), 0);
    // The permissions are read again at each send.
    let back = json!({"permissions": {"draft_read": true, "draft_update": true, "draft_send": true}});
    agent.patch(&key, back).await.ok();
    author.patch(&draft_path(&agent, &draft, ""), json!({"send_at": far_future()})).await.ok();
    make_due(&server).await;
    let message = wait_for_sent(&agent, "late").await;
    assert_eq!(message["sent_by"]["api_key_id"], made["api_key_id"]);
}

#[tokio::test]
async fn due_draft_of_removed_or_limited_member_is_rejected() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let mut drafts = Vec::new();
    let at = far_future();
    for email in ["removed@example.org", "limited@example.org", "stays@example.org"] {
        let member = invite_and_join(&server, &agent, email, "member", json!([])).await;
        let body = json!({"to": "bob@outside.example", "subject": email, "text": "x", "send_at": at});
        drafts.push(member.post(&agent.inbox("/drafts"), body).await.ok());
    }
    agent.delete(&member_path(&agent, "removed@example.org").await).await.require_no_content();
    let limit = json!({"inbox_ids": ["desk@inboxd.localhost"]});
    agent.patch(&member_path(&agent, "limited@example.org").await, limit).await.ok();
    make_due(&server).await;
    for draft in &drafts[..2] {
        wait_for_failed(&agent, draft).await;
    }
    let message = wait_for_sent(&agent, "stays@example.org").await;
    assert_eq!(message["sent_by"]["email"], "stays@example.org");
    let reasons: Vec<String> = rejected_events(&agent)
        .await
        .iter()
        .map(|event| event["reject"]["reason"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(reasons.len(), 2, "{reasons:?}");
    for draft in &drafts[..2] {
        let id = draft["draft_id"].as_str().unwrap();
        assert!(reasons.iter().any(|reason| reason.contains(id)), "{reasons:?}");
    }
    assert_eq!(agent.messages().await.len(), 1);
}

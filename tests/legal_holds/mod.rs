//! `/v0/legal-hold`, and deletions while a hold is in force.

use inboxd_testkit::{HttpClient, Persona, TestServer, encoded, eventually};
use serde_json::{Value, json};

use crate::guard::document::{Operation, operations};
use crate::people::{invite_and_join, sign_in_client};
use crate::support::{mail_to, receive, server_and_agent, subjects, worker_beside};

/// Last parameters of paths of what a hold protects.
const HELD: [&str; 7] = ["message_id", "thread_id", "note_id", "inbox_id", "pod_id", "file_id", "event_id"];
/// Last parameters of paths of settings, and of what was never sent or received.
const FREE: [&str; 8] =
    ["api_key_id", "connection_id", "domain_id", "entry", "member_id", "webhook_id", "address", "draft_id"];

const HOLD: &str = "/v0/legal-hold";

async fn place(person: &HttpClient, path: &str) -> Value {
    person.patch(path, json!({"enabled": true, "reason": "case 7"})).await.ok()
}

/// Ids of one of each resource that a hold protects.
async fn resources(server: &TestServer, agent: &Persona) -> Vec<(&'static str, String)> {
    receive(server, agent, &mail_to(agent, "evidence").id("<evidence@outside.example>")).await;
    let message = agent.message_about("evidence").await;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let notes = agent.thread(&message["thread_id"], "/notes");
    let note = agent.post(&notes, json!({"text": "look at this"})).await.ok();
    let file = json!({"path": "evidence.txt", "content_type": "text/plain", "size": 1, "sha256": format!("{}=", "A".repeat(43))});
    let file = agent.post(&agent.inbox("/files"), file).await.ok();
    let event = json!({"title": "meeting", "start": "2030-10-05T08:00:00", "end": "2030-10-05T09:00:00"});
    let event = agent.post(&agent.inbox("/calendar/events"), event).await.json()["event"].clone();
    vec![
        ("file_id", text(&file["file_id"])),
        ("event_id", text(&event["event_id"])),
        ("inbox_id", agent.inbox_id.clone()),
        ("message_id", encoded(&text(&message["message_id"]))),
        ("thread_id", text(&message["thread_id"])),
        ("note_id", text(&note["note_id"])),
        ("pod_id", text(&agent.get(&agent.inbox("")).await.ok()["pod_id"])),
    ]
}

fn last_parameter(operation: &Operation) -> String {
    operation.path.rsplit('{').next().unwrap().trim_end_matches('}').to_owned()
}

#[tokio::test]
async fn every_deleting_route_is_refused_under_hold() {
    let (server, agent) = server_and_agent().await;
    let owner = sign_in_client(&server, "owner@example.org").await;
    let ids = resources(&server, &agent).await;
    let message_id = agent.message_about("evidence").await["message_id"].clone();
    let values: Vec<(&str, &str)> = ids.iter().map(|(name, id)| (*name, id.as_str())).collect();
    let empty_pod = agent.post("/v0/pods", json!({"name": "empty"})).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let all = operations(&server).await;
    let deleting: Vec<&Operation> = all.iter().filter(|operation| operation.method == "DELETE").collect();
    let mut tried = 0;
    for path in [HOLD.to_owned(), agent.inbox("/legal-hold")] {
        place(&owner, &path).await;
        for operation in &deleting {
            // A policy is a setting too, and the URL of a calendar gives access.
            if operation.path.ends_with("/policy") || operation.path.ends_with("/calendar/feed") {
                continue;
            }
            let last = last_parameter(operation);
            if FREE.contains(&last.as_str()) {
                continue;
            }
            assert!(HELD.contains(&last.as_str()), "decide whether a legal hold covers {}", operation.path);
            let target = match last.as_str() {
                // Of one inbox, the hold does not cover a pod without it.
                "pod_id" if path != HOLD => continue,
                "pod_id" => operation.target(&[("pod_id", empty_pod.as_str())]),
                _ => operation.target(&values),
            };
            let refusal = agent.delete(&target).await.require_error(409, "legal_hold");
            assert!(refusal["fix"].as_str().unwrap().contains(&format!("PATCH {path}")), "{refusal:#}");
            tried += 1;
        }
        let redaction = agent.post(&agent.message(&message_id, "/redact"), json!({})).await;
        redaction.require_error(409, "legal_hold");
        let ended = owner.patch(&path, json!({"enabled": false, "reason": "settled"})).await.ok();
        assert_eq!(ended, json!({"enabled": false}));
    }
    assert!(tried >= 10, "only {tried} routes were tried");
    agent.delete(&agent.thread(&json!(values[4].1), "")).await.require_no_content();
    agent.delete(&agent.inbox("")).await.require_no_content();
}

#[tokio::test]
async fn retention_and_operator_delete_nothing_under_hold() {
    let (server, agent) = server_and_agent().await;
    let owner = sign_in_client(&server, "owner@example.org").await;
    receive(&server, &agent, &mail_to(&agent, "evidence")).await;
    receive(&server, &agent, &mail_to(&agent, "recent")).await;
    let other = agent.post("/v0/inboxes", json!({"username": "other"})).await.ok()["inbox_id"].clone();
    server.deliver("alice@outside.example", &[other.as_str().unwrap()], mail_to(&agent, "old").raw()).await;
    let age = "timestamp = timestamp - interval '8 days'";
    server.database().execute(&format!("UPDATE message_labels SET {age}; UPDATE messages SET {age}")).await;
    let held = agent.inbox("/legal-hold");
    place(&owner, &held).await;
    agent.patch(&agent.inbox(""), json!({"retention_days": 1})).await.ok();
    let others = format!("/v0/inboxes/{}", other.as_str().unwrap());
    agent.patch(&others, json!({"retention_days": 1})).await.ok();
    let _worker = worker_beside(&server).await;
    eventually("mail of the other inbox is gone", async || {
        let left = agent.get(&format!("{others}/messages")).await.ok();
        (left["count"] == 0).then_some(())
    })
    .await;
    assert_eq!(subjects(&agent, "/messages").await, ["recent", "evidence"]);
    let refused = server.command(&["admin", "delete", &agent.organization_id, "--yes"]).await;
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && said.contains("legal hold"), "{said}");
    assert_eq!(agent.get(&agent.inbox("")).await.ok()["inbox_id"], agent.inbox_id);

    // After its end the retention applies again, at the latest within its hour; a change makes it due at once.
    owner.patch(&held, json!({"enabled": false, "reason": "settled"})).await.ok();
    agent.patch(&agent.inbox(""), json!({"retention_days": 2})).await.ok();
    let _later_worker = worker_beside(&server).await;
    eventually("held mail is gone", async || subjects(&agent, "/messages").await.is_empty().then_some(())).await;
}

#[tokio::test]
async fn owners_and_admins_in_person_place_holds_and_the_log_has_the_reason() {
    let (server, agent) = server_and_agent().await;
    let change = json!({"enabled": true, "reason": "case 7"});
    let inbox_hold = agent.inbox("/legal-hold");
    for path in [HOLD, &inbox_hold] {
        agent.patch(path, change.clone()).await.require_error(403, "role_not_allowed");
        assert_eq!(agent.get(path).await.ok(), json!({"enabled": false}));
    }
    let member = invite_and_join(&server, &agent, "maria@example.org", "member", json!([])).await;
    member.patch(HOLD, change.clone()).await.require_error(403, "role_not_allowed");
    member.get(HOLD).await.require_error(403, "role_not_allowed");
    let admin = invite_and_join(&server, &agent, "ada@example.org", "admin", json!([])).await;
    assert_eq!(admin.patch(&inbox_hold, json!({"enabled": true})).await.bad_fields(), ["reason"]);
    let placed = admin.patch(&inbox_hold, change.clone()).await.ok();
    assert_eq!((&placed["reason"], &placed["placed_by"]["email"]), (&json!("case 7"), &json!("ada@example.org")));
    assert_eq!(admin.get(&inbox_hold).await.ok(), placed);
    assert_eq!(admin.get(HOLD).await.ok(), json!({"enabled": false}));
    assert_eq!(admin.patch(&inbox_hold, change).await.ok(), placed, "a repeat changes nothing");
    admin.patch(&inbox_hold, json!({"enabled": false, "reason": "settled"})).await.ok();
    let entries = agent.get("/v0/audit?action=inbox.legal_hold_updated").await.ok()["entries"].clone();
    assert_eq!(entries.as_array().unwrap().len(), 2, "{entries:#}");
    assert_eq!(entries[0]["before"], json!({"legal_hold": true, "reason": "case 7"}));
    assert_eq!(entries[0]["after"], json!({"legal_hold": false, "reason": "settled"}));
    assert_eq!(
        (&entries[0]["resource_id"], &entries[0]["actor"]["email"]),
        (&json!(agent.inbox_id), &json!("ada@example.org"))
    );
    let nowhere = "/v0/inboxes/nobody@inboxd.localhost/legal-hold";
    admin.get(nowhere).await.require_error(404, "not_found");
    admin.patch(nowhere, json!({"enabled": true, "reason": "case 8"})).await.require_error(404, "not_found");
}

//! `retention_days`: deletion of old messages.

use inboxd_testkit::eventually;
use serde_json::{Value, json};

use crate::support::{mail_to, receive, server_and_agent, subjects, worker_beside};

#[tokio::test]
async fn messages_are_deleted_after_retention_everywhere() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "old").id("<old@outside.example>")).await;
    receive(&server, &agent, &mail_to(&agent, "answer").header("In-Reply-To", "<old@outside.example>")).await;
    receive(&server, &agent, &mail_to(&agent, "alone")).await;
    agent.send(json!({"to": "bob@outside.example", "subject": "sent", "text": "hello"})).await;
    receive(&server, &agent, &mail_to(&agent, "recent")).await;
    let thread = agent.message_about("old").await["thread_id"].clone();
    let alone = agent.message_about("alone").await["thread_id"].clone();
    let age = "timestamp = timestamp - interval '8 days'";
    let old = "subject IN ('old', 'alone', 'sent')";
    server
        .database()
        .execute(&format!(
            "UPDATE message_labels SET {age} WHERE message_id IN (SELECT message_id FROM messages WHERE {old}); \
             UPDATE messages SET {age} WHERE {old}"
        ))
        .await;
    let stored = agent.get("/v0/organizations").await.ok()["storage_bytes"].as_u64().unwrap();

    let path = agent.inbox("");
    assert_eq!(agent.patch(&path, json!({"retention_days": 7})).await.ok()["retention_days"], 7);
    let _worker = worker_beside(&server).await;
    eventually("old messages are gone", async || {
        (subjects(&agent, "/messages").await == ["recent", "answer"]).then_some(())
    })
    .await;
    let left = agent.get(&agent.thread(&thread, "")).await.ok();
    assert_eq!((&left["message_count"], &left["subject"]), (&json!(1), &json!("answer")));
    agent.get(&agent.thread(&alone, "")).await.require_error(404, "not_found");
    assert!(subjects(&agent, "/messages/search?q=alone").await.is_empty());
    let freed = agent.get("/v0/organizations").await.ok()["storage_bytes"].as_u64().unwrap();
    assert!(freed < stored, "{freed} {stored}");

    let entries = agent.get("/v0/audit?action=inbox.retention_updated").await.ok()["entries"].clone();
    assert_eq!(
        (&entries[0]["resource_id"], &entries[0]["after"]),
        (&json!(agent.inbox_id), &json!({"retention_days": 7}))
    );
    let cleared = agent.patch(&path, json!({"retention_days": null})).await.ok();
    assert_eq!(cleared.get("retention_days"), None::<&Value>);
}

#[tokio::test]
async fn retention_is_set_at_creation_and_needs_permission_to_delete() {
    let (_server, agent) = server_and_agent().await;
    let made = agent.post("/v0/inboxes", json!({"username": "short", "retention_days": 1})).await.ok();
    let path = format!("/v0/inboxes/{}", made["inbox_id"].as_str().unwrap());
    assert_eq!(agent.get(&path).await.ok()["retention_days"], 1);
    let listed = agent.get("/v0/inboxes").await.ok()["inboxes"].clone();
    assert!(listed.as_array().unwrap().iter().any(|inbox| inbox["retention_days"] == 1), "{listed:#}");
    for days in [json!(0), json!(3651), json!(-1), json!("7"), json!(1.5)] {
        assert_eq!(agent.patch(&path, json!({"retention_days": days})).await.bad_fields(), ["retention_days"]);
        assert_eq!(agent.post("/v0/inboxes", json!({"retention_days": days})).await.bad_fields(), ["retention_days"]);
    }
    let permissions = json!({"inbox_create": true, "inbox_update": true});
    let key = agent.create_key("/v0/api-keys", json!({"name": "x", "permissions": permissions})).await;
    key.patch(&path, json!({"retention_days": 5})).await.require_error(403, "missing_permission");
    key.post("/v0/inboxes", json!({"retention_days": 5})).await.require_error(403, "missing_permission");
    key.patch(&path, json!({"display_name": "Short"})).await.ok();
}

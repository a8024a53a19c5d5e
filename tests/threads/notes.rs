//! Notes: never sent, without events, returned with the thread.

use inboxd_testkit::eventually;
use serde_json::json;

use crate::people::{invite_and_join, sign_in_client};
use crate::send_methods::{every_send_method, receive_question};
use crate::sending::server_with_relay;
use crate::support::{mail_to, receive, server_and_agent};

#[tokio::test]
async fn notes_are_returned_with_thread_without_events() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    let thread_id = agent.message_about("hello").await["thread_id"].clone();
    let path = agent.thread(&thread_id, "");
    assert_eq!(agent.get(&path).await.ok()["notes"], json!([]));
    let events = agent.get("/v0/events").await.ok()["count"].clone();
    let first = agent.post(&format!("{path}/notes"), json!({"text": "call back"})).await.ok();
    let second = agent.post(&format!("{path}/notes"), json!({"text": "done"})).await.ok();
    assert!(first["note_id"].as_str().unwrap().starts_with("note_"), "{first:#}");
    assert_eq!((&first["text"], &first["created_by"]["type"]), (&json!("call back"), &json!("api_key")));
    assert!(first["created_at"].is_string());
    let thread = agent.get(&path).await.ok();
    assert_eq!(thread["notes"], json!([first, second]));
    assert_eq!(thread["message_count"], 1);
    assert_eq!(agent.get(&format!("/v0/threads/{}", thread_id.as_str().unwrap())).await.ok()["notes"], thread["notes"]);
    assert_eq!(agent.get("/v0/events").await.ok()["count"], events);
    agent.delete(&format!("{path}/notes/{}", first["note_id"].as_str().unwrap())).await.require_no_content();
    assert_eq!(agent.get(&path).await.ok()["notes"], json!([second]));
    agent.delete(&format!("{path}/notes/{}", first["note_id"].as_str().unwrap())).await.require_error(404, "not_found");
    agent.delete(&path).await.require_no_content();
    agent.post(&format!("{path}/notes"), json!({"text": "late"})).await.require_error(404, "not_found");
}

#[tokio::test]
async fn note_can_be_deleted_by_author_and_organization() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    let path = agent.thread(&agent.message_about("hello").await["thread_id"], "/notes");
    let author = agent.create_key(&agent.inbox("/api-keys"), json!({"name": "author"})).await;
    let other = agent.create_key(&agent.inbox("/api-keys"), json!({"name": "other"})).await;
    let write = async || author.post(&path, json!({"text": "mine"})).await.ok()["note_id"].as_str().unwrap().to_owned();
    let note = format!("{path}/{}", write().await);
    other.delete(&note).await.require_error(403, "role_not_allowed");
    author.delete(&note).await.require_no_content();
    agent.delete(&format!("{path}/{}", write().await)).await.require_no_content();
    let reader = agent.create_key(&agent.inbox("/api-keys"), json!({"permissions": {"message_read": true}})).await;
    reader.post(&path, json!({"text": "x"})).await.require_error(403, "missing_permission");
}

#[tokio::test]
async fn owners_and_admins_delete_any_note_and_members_their_own() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    let path = agent.thread(&agent.message_about("hello").await["thread_id"], "/notes");
    let owner = sign_in_client(&server, "owner@example.org").await;
    let admin = invite_and_join(&server, &agent, "admin@example.org", "admin", json!([])).await;
    let maria = invite_and_join(&server, &agent, "maria@example.org", "member", json!([])).await;
    let max = invite_and_join(&server, &agent, "max@example.org", "member", json!([])).await;
    for author in [&maria, &*agent, &owner] {
        for mighty in [&owner, &admin] {
            let note = author.post(&path, json!({"text": "mine"})).await.ok();
            let note = format!("{path}/{}", note["note_id"].as_str().unwrap());
            max.delete(&note).await.require_error(403, "role_not_allowed");
            mighty.delete(&note).await.require_no_content();
        }
    }
    let note = maria.post(&path, json!({"text": "mine"})).await.ok();
    assert_eq!(note["created_by"]["email"], "maria@example.org");
    maria.delete(&format!("{path}/{}", note["note_id"].as_str().unwrap())).await.require_no_content();
}

#[tokio::test]
async fn empty_note_is_refused() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    let path = agent.thread(&agent.message_about("hello").await["thread_id"], "/notes");
    for body in [
        json!({}),
        json!({"text": " "}),
        json!({"text": "x".repeat(10_001)}),
        json!({"text": "a\u{0}b"}),
        json!({"text": 1}),
    ] {
        assert_eq!(agent.post(&path, body).await.bad_fields(), ["text"]);
    }
}

#[tokio::test]
async fn note_is_never_sent() {
    let (relay, server, agent) = server_with_relay().await;
    let question = receive_question(&server, &agent, "bob@outside.example").await;
    let methods = every_send_method(&agent, &question).await;
    let note = json!({"text": "CONFIDENTIAL"});
    agent.post(&agent.thread(&question["thread_id"], "/notes"), note.clone()).await.ok();
    let reply = json!({"in_reply_to": question["message_id"], "text": "drafted"});
    let draft = agent.post(&agent.inbox("/drafts"), reply).await.ok();
    for method in &methods {
        let sent = method.send(&agent).await.ok();
        agent.post(&agent.thread(&sent["thread_id"], "/notes"), note.clone()).await.ok();
    }
    let send = agent.inbox(&format!("/drafts/{}/send", draft["draft_id"].as_str().unwrap()));
    agent.post(&send, json!({})).await.ok();
    let mails = eventually("all six messages and the code are delivered", async || {
        let mails = relay.mails();
        (mails.len() == 7).then_some(mails)
    })
    .await;
    for mail in mails {
        let read = inboxd_mail::parse(&mail.raw);
        let parts = [mail.text(), read.text.unwrap_or_default(), read.html.unwrap_or_default()];
        assert!(parts.iter().all(|part| !part.contains("CONFIDENTIAL")), "{}", mail.text());
        assert!(read.attachments.is_empty(), "{}", mail.text());
    }
    let thread = agent.get(&agent.thread(&question["thread_id"], "")).await.ok();
    assert_eq!(thread["notes"][0]["text"], "CONFIDENTIAL");
    assert_eq!(agent.get(&agent.inbox("/messages/search?q=confidential")).await.ok()["count"], 0);
}

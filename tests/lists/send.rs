//! Effect of lists on outgoing mail.

use serde_json::{Value, json};

use super::{add_entry, delete_entry, events_of_type, level_paths};
use crate::support::server_and_agent;

#[tokio::test]
async fn send_allow_list_with_entries_refuses_other_recipients_at_every_level() {
    let (_server, agent) = server_and_agent().await;
    let send = agent.inbox("/messages/send");
    let to = |to: Value| json!({"to": to, "text": "hello"});
    for whose in level_paths(&agent).await {
        add_entry(&agent, &whose, "send/allow", "friends.example").await;
        add_entry(&agent, &whose, "send/allow", "Anna@outside.example").await;
        for fine in [json!("Anna <ANNA@Outside.example>"), json!(["x@friends.example", "y@mail.Friends.example"])] {
            agent.send(to(fine)).await;
        }
        let answer = agent.post(&send, to(json!(["anna@outside.example", "bob@outside.example"]))).await;
        let envelope = answer.require_error(403, "recipient_not_allowed");
        let fix = envelope["fix"].as_str().unwrap();
        assert!(
            fix.contains("bob@outside.example") && fix.contains(&format!("POST /v0{whose}/lists/send/allow")),
            "{fix}"
        );
        agent
            .post(&send, json!({"to": "anna@outside.example", "bcc": "bob@outside.example", "text": "x"}))
            .await
            .require_error(403, "recipient_not_allowed");
        // An empty list means no restriction.
        delete_entry(&agent, &whose, "send/allow", "friends.example").await;
        delete_entry(&agent, &whose, "send/allow", "anna@outside.example").await;
        agent.send(to(json!("bob@outside.example"))).await;
    }
}

#[tokio::test]
async fn blocked_recipient_is_refused_with_entry_and_delete_path() {
    let (_server, agent) = server_and_agent().await;
    let send = agent.inbox("/messages/send");
    for whose in level_paths(&agent).await {
        for (entry, to) in [
            ("bob@outside.example", "Bob <BOB@outside.example>"),
            ("outside.example", "bob@mail.outside.example"),
            ("b/o+b%@outside.example", "b/o+b%@outside.example"),
        ] {
            add_entry(&agent, &whose, "send/block", entry).await;
            let answer = agent.post(&send, json!({"to": ["ann@inside.example", to], "text": "hello"})).await;
            let envelope = answer.require_error(403, "recipient_blocked");
            // The fix works as written.
            let fix = envelope["fix"].as_str().unwrap();
            let (_, path) = fix.split_once("DELETE ").unwrap();
            assert!(path.starts_with(&format!("/v0{whose}/lists/send/block/")), "{fix}");
            agent.delete(path).await.require_no_content();
            agent.send(json!({"to": to, "text": "hello"})).await;
        }
    }
}

#[tokio::test]
async fn address_overrides_domain_and_block_overrides_allow_within_level() {
    let (_server, agent) = server_and_agent().await;
    let [organization, _, inbox] = level_paths(&agent).await;
    let send = agent.inbox("/messages/send");
    let letter = json!({"to": "bob@outside.example", "text": "hello"});
    add_entry(&agent, &organization, "send/block", "outside.example").await;
    add_entry(&agent, &inbox, "send/allow", "bob@outside.example").await;
    agent.post(&send, letter.clone()).await.require_error(403, "recipient_blocked");
    add_entry(&agent, &organization, "send/allow", "bob@outside.example").await;
    agent.send(letter.clone()).await;
    add_entry(&agent, &inbox, "send/block", "bob@outside.example").await;
    agent.post(&send, letter).await.require_error(403, "recipient_blocked");
}

#[tokio::test]
async fn list_of_inbox_does_not_apply_to_other_inbox() {
    let (_server, agent) = server_and_agent().await;
    let other = agent.post("/v0/inboxes", json!({"username": "other"})).await.ok();
    add_entry(&agent, &format!("/inboxes/{}", agent.inbox_id), "send/block", "outside.example").await;
    let letter = json!({"to": "bob@outside.example", "text": "hello"});
    agent.post(&agent.inbox("/messages/send"), letter.clone()).await.require_error(403, "recipient_blocked");
    agent.post(&format!("/v0/inboxes/{}/messages/send", other["inbox_id"].as_str().unwrap()), letter).await.ok();
}

#[tokio::test]
async fn send_refused_for_recipient_appends_message_rejected_without_cost() {
    let (server, agent) = server_and_agent().await;
    add_entry(&agent, "", "send/block", "outside.example").await;
    let letter = json!({"to": "bob@outside.example", "subject": "no", "text": "hello"});
    let before = agent.get("/v0/organizations").await.ok();
    // At the cap the refusal still names the list: lists precede caps and use no quota.
    agent.send(json!({"to": "ann@inside.example", "text": "hello"})).await;
    server.database().execute("UPDATE send_counts SET count = 100").await;
    agent.post(&agent.inbox("/messages/send"), letter).await.require_error(403, "recipient_blocked");
    server.database().execute("UPDATE send_counts SET count = 99").await;
    agent.send(json!({"to": "ann@inside.example", "text": "the hundredth"})).await;

    let rejected = events_of_type(&agent, "message.rejected").await;
    let [event] = rejected.as_slice() else { panic!("{rejected:#?}") };
    assert_eq!((&event["inbox_id"], &event["type"]), (&json!(agent.inbox_id), &json!("event")));
    assert!(event["reject"]["reason"].as_str().unwrap().contains("outside.example"), "{event:#}");
    assert_eq!(event["reject"]["message_id"], event["message_id"]);
    agent.get(&agent.message(&event["message_id"], "")).await.require_error(404, "not_found");
    agent.get(&agent.thread(&event["thread_id"], "")).await.require_error(404, "not_found");
    assert_eq!(agent.messages().await.len(), 2);
    assert_eq!(before["storage_bytes"], 0);
}

#[tokio::test]
async fn replies_and_forwards_are_checked_by_same_lists() {
    let (server, agent) = server_and_agent().await;
    crate::support::receive(&server, &agent, &crate::support::mail_to(&agent, "question")).await;
    let id = agent.message_about("question").await["message_id"].clone();
    add_entry(&agent, "", "send/block", "outside.example").await;
    for (verb, body) in [
        ("/reply", json!({"text": "x"})),
        ("/reply-all", json!({"text": "x"})),
        ("/forward", json!({"to": "bob@outside.example", "text": "x"})),
    ] {
        agent.post(&agent.message(&id, verb), body).await.require_error(403, "recipient_blocked");
    }
    assert_eq!(events_of_type(&agent, "message.rejected").await.len(), 3);
}

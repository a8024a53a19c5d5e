//! What lists do to mail that leaves.

use serde_json::{Value, json};

use super::{events, levels, put, take};
use crate::support::server_and_agent;

#[tokio::test]
async fn a_send_allow_list_with_any_entry_refuses_every_recipient_not_on_it_at_every_level() {
    let (_server, agent) = server_and_agent().await;
    let send = agent.inbox("/messages/send");
    let to = |to: Value| json!({"to": to, "text": "hello"});
    for whose in levels(&agent).await {
        put(&agent, &whose, "send/allow", "friends.example").await;
        put(&agent, &whose, "send/allow", "Anna@outside.example").await;
        for fine in [json!("Anna <ANNA@Outside.example>"), json!(["x@friends.example", "y@mail.Friends.example"])] {
            agent.send(to(fine)).await;
        }
        let answer = agent.post(&send, to(json!(["anna@outside.example", "bob@outside.example"]))).await;
        let envelope = answer.refused(403, "recipient_not_allowed");
        let fix = envelope["fix"].as_str().unwrap();
        assert!(
            fix.contains("bob@outside.example") && fix.contains(&format!("POST /v0{whose}/lists/send/allow")),
            "{fix}"
        );
        agent
            .post(&send, json!({"to": "anna@outside.example", "bcc": "bob@outside.example", "text": "x"}))
            .await
            .refused(403, "recipient_not_allowed");
        // An empty list means no restriction.
        take(&agent, &whose, "send/allow", "friends.example").await;
        take(&agent, &whose, "send/allow", "anna@outside.example").await;
        agent.send(to(json!("bob@outside.example"))).await;
    }
}

#[tokio::test]
async fn a_blocked_recipient_is_refused_with_the_entry_and_its_delete_path() {
    let (_server, agent) = server_and_agent().await;
    let send = agent.inbox("/messages/send");
    for whose in levels(&agent).await {
        for (entry, to) in [
            ("bob@outside.example", "Bob <BOB@outside.example>"),
            ("outside.example", "bob@mail.outside.example"),
            ("b/o+b%@outside.example", "b/o+b%@outside.example"),
        ] {
            put(&agent, &whose, "send/block", entry).await;
            let answer = agent.post(&send, json!({"to": ["ann@inside.example", to], "text": "hello"})).await;
            let envelope = answer.refused(403, "recipient_blocked");
            // The fix is good as it stands.
            let fix = envelope["fix"].as_str().unwrap();
            let (_, path) = fix.split_once("DELETE ").unwrap();
            assert!(path.starts_with(&format!("/v0{whose}/lists/send/block/")), "{fix}");
            agent.delete(path).await.gone();
            agent.send(json!({"to": to, "text": "hello"})).await;
        }
    }
}

#[tokio::test]
async fn an_address_beats_a_domain_and_block_beats_allow_within_one_level_only() {
    let (_server, agent) = server_and_agent().await;
    let [organization, _, inbox] = levels(&agent).await;
    let send = agent.inbox("/messages/send");
    let letter = json!({"to": "bob@outside.example", "text": "hello"});
    put(&agent, &organization, "send/block", "outside.example").await;
    put(&agent, &inbox, "send/allow", "bob@outside.example").await;
    agent.post(&send, letter.clone()).await.refused(403, "recipient_blocked");
    put(&agent, &organization, "send/allow", "bob@outside.example").await;
    agent.send(letter.clone()).await;
    put(&agent, &inbox, "send/block", "bob@outside.example").await;
    agent.post(&send, letter).await.refused(403, "recipient_blocked");
}

#[tokio::test]
async fn the_list_of_one_inbox_does_not_reach_another() {
    let (_server, agent) = server_and_agent().await;
    let other = agent.post("/v0/inboxes", json!({"username": "other"})).await.ok();
    put(&agent, &format!("/inboxes/{}", agent.inbox_id), "send/block", "outside.example").await;
    let letter = json!({"to": "bob@outside.example", "text": "hello"});
    agent.post(&agent.inbox("/messages/send"), letter.clone()).await.refused(403, "recipient_blocked");
    agent.post(&format!("/v0/inboxes/{}/messages/send", other["inbox_id"].as_str().unwrap()), letter).await.ok();
}

#[tokio::test]
async fn a_send_refused_for_a_recipient_appends_message_rejected_stores_nothing_and_is_free() {
    let (server, agent) = server_and_agent().await;
    put(&agent, "", "send/block", "outside.example").await;
    let letter = json!({"to": "bob@outside.example", "subject": "no", "text": "hello"});
    let before = agent.get("/v0/organizations").await.ok();
    // At the cap the refusal still names the list: it comes before the caps and costs nothing of them.
    agent.send(json!({"to": "ann@inside.example", "text": "hello"})).await;
    server.database().execute("UPDATE send_counts SET count = 100").await;
    agent.post(&agent.inbox("/messages/send"), letter).await.refused(403, "recipient_blocked");
    server.database().execute("UPDATE send_counts SET count = 99").await;
    agent.send(json!({"to": "ann@inside.example", "text": "the hundredth"})).await;

    let rejected = events(&agent, "message.rejected").await;
    let [event] = rejected.as_slice() else { panic!("{rejected:#?}") };
    assert_eq!((&event["inbox_id"], &event["type"]), (&json!(agent.inbox_id), &json!("event")));
    assert!(event["reject"]["reason"].as_str().unwrap().contains("outside.example"), "{event:#}");
    assert_eq!(event["reject"]["message_id"], event["message_id"]);
    agent.get(&agent.message(&event["message_id"], "")).await.refused(404, "not_found");
    agent.get(&agent.thread(&event["thread_id"], "")).await.refused(404, "not_found");
    assert_eq!(agent.messages().await.len(), 2);
    assert_eq!(before["storage_bytes"], 0);
}

#[tokio::test]
async fn replies_and_forwards_pass_the_same_lists() {
    let (server, agent) = server_and_agent().await;
    crate::support::receive(&server, &agent, &crate::support::mail_to(&agent, "question")).await;
    let id = agent.message_about("question").await["message_id"].clone();
    put(&agent, "", "send/block", "outside.example").await;
    for (verb, body) in [
        ("/reply", json!({"text": "x"})),
        ("/reply-all", json!({"text": "x"})),
        ("/forward", json!({"to": "bob@outside.example", "text": "x"})),
    ] {
        agent.post(&agent.message(&id, verb), body).await.refused(403, "recipient_blocked");
    }
    assert_eq!(events(&agent, "message.rejected").await.len(), 3);
}

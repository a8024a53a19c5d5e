//! `POST …/drafts/{draft_id}/send`.

use inboxd_testkit::{HttpRequest, RelayServer};
use serde_json::json;

use super::{create_draft, draft_path, in_seconds};
use crate::support::{count, options, run_concurrently, server_and_agent};

#[tokio::test]
async fn draft_send_returns_send_response_and_deletes_draft() {
    let relay = RelayServer::start().await;
    let server = options().relay(&relay).start().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    agent.verify_with(&relay.code_for("owner@example.org").await).await;
    let body = json!({
        "to": ["Bob <bob@outside.example>"], "bcc": ["dan@outside.example"], "subject": "Offer", "text": "Dear Bob",
        "labels": ["a", "b"], "attachments": [{"filename": "offer.txt", "content": "b2ZmZXI="}], "send_at": in_seconds(3600),
    });
    let draft = create_draft(&agent, body).await;
    let sender = agent.create_key("/v0/api-keys", json!({"name": "sender"})).await;
    let change = json!({"add_labels": ["c"], "remove_labels": ["a"]});
    let sent = sender.post(&draft_path(&agent, &draft, "/send"), change).await.ok();
    assert_eq!(sent.as_object().unwrap().keys().collect::<Vec<_>>(), ["message_id", "thread_id"]);
    let mail = relay.mail_about("Offer").await;
    assert_eq!(mail.to, ["bob@outside.example", "dan@outside.example"]);
    let read = inboxd_mail::parse(&mail.raw);
    assert_eq!(inboxd_mail::attachment_content(&mail.raw, read.attachments[0].part).unwrap(), b"offer");
    let stored = agent.get(&agent.message(&sent["message_id"], "")).await.ok();
    let labels: Vec<_> = stored["labels"].as_array().unwrap().iter().filter(|label| *label != "delivered").collect();
    assert_eq!(labels, ["b", "c", "sent"]);
    assert_eq!(stored["sent_by"]["name"], "sender");
    agent.get(&draft_path(&agent, &draft, "")).await.require_error(404, "not_found");
    let events = agent.get("/v0/events?event_types=message.sent").await.ok();
    assert_eq!((&events["count"], &events["events"][0]["message_id"]), (&json!(1), &sent["message_id"]));
}

#[tokio::test]
async fn draft_send_needs_no_body_and_refuses_system_labels() {
    let (_server, agent) = server_and_agent().await;
    let draft = create_draft(&agent, json!({"to": "bob@outside.example", "text": "x"})).await;
    let target = draft_path(&agent, &draft, "/send");
    agent.post(&target, json!({"add_labels": ["received"]})).await.require_error(422, "system_label");
    agent.call(HttpRequest::new("POST", &target)).await.ok();
}

#[tokio::test]
async fn refused_draft_stays_unchanged() {
    let (server, agent) = server_and_agent().await;
    let draft = create_draft(&agent, json!({"subject": "to nobody"})).await;
    let send = draft_path(&agent, &draft, "/send");
    assert_eq!(agent.post(&send, json!({})).await.bad_fields(), ["to"]);
    agent.patch(&draft_path(&agent, &draft, ""), json!({"to": "bob@outside.example"})).await.ok();
    let before = agent.get(&draft_path(&agent, &draft, "")).await.ok();
    let suppress = format!(
        "INSERT INTO suppressions SELECT organization_id, 'bob@outside.example', 'bounce', now() FROM organizations
        WHERE owner_email = '{}'",
        agent.owner
    );
    server.database().execute(&suppress).await;
    agent.post(&send, json!({})).await.require_error(403, "recipient_suppressed");
    server.database().execute("DELETE FROM suppressions").await;
    agent.send(json!({"to": "bob@outside.example", "text": "so that sends are counted"})).await;
    server.database().execute("UPDATE send_counts SET count = 100").await;
    agent.post(&send, json!({})).await.require_error(429, "daily_limit_reached");
    assert_eq!(agent.get(&draft_path(&agent, &draft, "")).await.ok(), before);
    server.database().execute("UPDATE send_counts SET count = 1").await;
    agent.post(&send, json!({})).await.ok();
}

#[tokio::test]
async fn concurrent_sends_of_draft_send_once() {
    let (_server, agent) = server_and_agent().await;
    let draft = create_draft(&agent, json!({"to": "bob@outside.example", "text": "x".repeat(200_000)})).await;
    // The requests differ, so that none shares the response of another.
    let answers = run_concurrently((0..20).map(|number| {
        let (agent, target) = (agent.clone(), draft_path(&agent, &draft, "/send"));
        async move { agent.post(&target, json!({"add_labels": [format!("n{number}")]})).await }
    }))
    .await;
    assert_eq!(count(&answers, 200), 1);
    for answer in answers.iter().filter(|answer| answer.status != 200) {
        match answer.status {
            409 => answer.require_error(409, "draft_sending"),
            _ => answer.require_error(404, "not_found"),
        };
    }
    assert_eq!(agent.messages().await.len(), 1);
}

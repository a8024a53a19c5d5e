//! `POST …/drafts`.

use serde_json::json;

use super::{create_draft, draft_path, in_seconds};
use crate::support::{run_concurrently, server, server_and_agent};

#[tokio::test]
async fn new_draft_returns_its_fields_and_authors() {
    let (_server, agent) = server_and_agent().await;
    let body = json!({
        "to": "Bob <bob@outside.example>", "cc": ["Carol@outside.example"], "bcc": ["dan@outside.example"],
        "reply_to": ["office@outside.example"], "subject": "Offer", "text": "Dear  Bob", "html": "<p>Dear Bob</p>",
        "labels": ["Q4"], "client_id": "offer-1",
    });
    let draft = create_draft(&agent, body).await;
    let actor = json!({"type": "api_key", "api_key_id": draft["created_by"]["api_key_id"], "name": draft["created_by"]["name"]});
    let expected = json!({
        "inbox_id": agent.inbox_id, "draft_id": draft["draft_id"], "client_id": "offer-1",
        "labels": ["draft", "q4"], "to": ["Bob <bob@outside.example>"], "cc": ["Carol@outside.example"],
        "bcc": ["dan@outside.example"], "reply_to": ["office@outside.example"], "subject": "Offer",
        "preview": "Dear Bob", "text": "Dear  Bob", "html": "<p>Dear Bob</p>",
        "created_by": actor, "updated_by": actor,
        "created_at": draft["created_at"], "updated_at": draft["created_at"],
    });
    assert_eq!(draft, expected);
    assert!(draft["draft_id"].as_str().unwrap().starts_with("drf_"), "{draft:#}");
    assert_eq!(agent.get(&draft_path(&agent, &draft, "")).await.ok(), expected);
    let anywhere = format!("/v0/drafts/{}", draft["draft_id"].as_str().unwrap());
    assert_eq!(agent.get(&anywhere).await.ok(), expected);
    // Creation alone sends no message.
    assert_eq!(agent.messages().await.len(), 0);
}

#[tokio::test]
async fn draft_may_be_empty_and_without_body() {
    let (_server, agent) = server_and_agent().await;
    let request = inboxd_testkit::HttpRequest::new("POST", &agent.inbox("/drafts"));
    let draft = agent.call(request).await.ok();
    assert_eq!((draft["labels"].clone(), draft.get("to"), draft.get("subject")), (json!(["draft"]), None, None));
}

#[tokio::test]
async fn invalid_message_content_is_refused_at_draft_creation() {
    let (_server, agent) = server_and_agent().await;
    let many: Vec<String> = (0..51).map(|number| format!("r{number}@outside.example")).collect();
    for (body, fields) in [
        (json!({"subject": "a\r\nBcc: eve@outside.example"}), vec!["subject"]),
        (json!({"text": "\u{0}"}), vec!["text"]),
        (json!({"to": many}), vec!["to"]),
        (json!({"to": "nobody", "send_at": "soon"}), vec!["send_at", "to"]),
        (json!({"send_at": in_seconds(-5), "client_id": "a b"}), vec!["client_id", "send_at"]),
        (json!({"attachments": [{"content": "AA==", "content_type": "x"}]}), vec!["attachments[0].content_type"]),
        (json!({"reply_all": true}), vec!["reply_all"]),
        (json!({"in_reply_to": "<a@b.example>", "forward_of": "<a@b.example>"}), vec!["forward_of"]),
    ] {
        let mut found = agent.post(&agent.inbox("/drafts"), body.clone()).await.bad_fields();
        found.sort();
        assert_eq!(found, fields, "{body}");
    }
    for label in ["draft", "scheduled", "sent"] {
        agent.post(&agent.inbox("/drafts"), json!({"labels": [label]})).await.require_error(422, "system_label");
    }
    assert_eq!(agent.get("/v0/drafts").await.ok()["count"], 0);
}

#[tokio::test]
async fn repeated_client_id_returns_original_draft() {
    let (_server, agent) = server_and_agent().await;
    let answers = run_concurrently((0..12).map(|number| {
        let agent = agent.clone();
        async move {
            agent.post(&agent.inbox("/drafts"), json!({"client_id": "once", "subject": format!("{number}")})).await
        }
    }))
    .await;
    let first = answers[0].ok();
    for answer in &answers {
        assert_eq!(answer.ok(), first);
    }
    assert_eq!(agent.get("/v0/drafts").await.ok()["count"], 1);
    // Each organization has its own client ids.
    agent.delete(&draft_path(&agent, &first, "")).await.require_no_content();
    agent.post(&agent.inbox("/drafts"), json!({"client_id": "once"})).await.require_error(409, "conflict");
}

#[tokio::test]
async fn client_id_of_sent_or_foreign_draft_conflicts() {
    let server = server().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let stranger = server.verified("stranger@example.org", "stranger").await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let key = agent.create_key("/v0/inboxes/desk@inboxd.localhost/api-keys", json!({"name": "desk"})).await;
    let draft = create_draft(&agent, json!({"client_id": "mine", "to": "bob@outside.example", "text": "x"})).await;
    let desk = "/v0/inboxes/desk@inboxd.localhost/drafts";
    key.post(desk, json!({"client_id": "mine"})).await.require_error(409, "conflict");
    assert_eq!(agent.post(desk, json!({"client_id": "mine"})).await.ok()["draft_id"], draft["draft_id"]);
    create_draft(&stranger, json!({"client_id": "mine"})).await;
    agent.post(&draft_path(&agent, &draft, "/send"), json!({})).await.ok();
    agent.post(&agent.inbox("/drafts"), json!({"client_id": "mine"})).await.require_error(409, "conflict");
}

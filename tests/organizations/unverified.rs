//! Rights of an organization before the verification of its owner (`service.md`, sections 5.11 and 8.5).

use inboxd_testkit::eventually;
use serde_json::json;

use crate::drafts::{far_future, make_due};
use crate::send_methods::{every_send_method, receive_question};
use crate::support::{mail_to, receive, server, text_fields};

#[tokio::test]
async fn unverified_key_reads_and_organizes_its_mail() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    receive(&server, &agent, &mail_to(&agent, "hello").attach("plan.txt", "text/plain", b"a plan")).await;
    let message = agent.message_about("hello").await;
    let (id, thread_id) = (&message["message_id"], &message["thread_id"]);
    let file = format!("/attachments/{}", message["attachments"][0]["attachment_id"].as_str().unwrap());
    let by_id_alone = format!("/v0/threads/{}", thread_id.as_str().unwrap());
    for path in [
        agent.inbox("/messages?labels=unread"),
        agent.inbox("/messages/search?q=about"),
        agent.message(id, "/raw"),
        agent.message(id, &file),
        agent.inbox("/threads"),
        agent.inbox("/threads/search?q=about"),
        agent.thread(thread_id, ""),
        agent.thread(thread_id, &file),
        agent.inbox("/events"),
        agent.inbox("/drafts"),
        "/v0/threads".to_owned(),
        by_id_alone.clone(),
        "/v0/drafts".to_owned(),
        "/v0/events".to_owned(),
        "/v0/inboxes".to_owned(),
        "/v0/organizations".to_owned(),
        "/v0/auth/me".to_owned(),
    ] {
        agent.get(&path).await.ok();
    }
    let ids = json!({"message_ids": [id]});
    assert_eq!(agent.post(&agent.inbox("/messages/batch-get"), ids).await.ok()["messages"], json!([message]));
    agent.patch(&agent.message(id, ""), json!({"add_labels": ["todo"], "remove_labels": ["unread"]})).await.ok();
    let labels = json!({"message_ids": [id], "add_labels": ["later"]});
    let updated = agent.post(&agent.inbox("/messages/batch-update"), labels).await.ok();
    assert_eq!(updated["updates"][0]["labels"], json!(["later", "received", "todo"]));
    let assigned = agent.patch(&agent.thread(thread_id, ""), json!({"assignee_id": "me"})).await.ok();
    assert_eq!(assigned["assignee"]["type"], "api_key");
    agent.patch(&by_id_alone, json!({"add_labels": ["seen"]})).await.ok();
    let note = agent.post(&agent.thread(thread_id, "/notes"), json!({"text": "call back"})).await.ok();
    agent
        .delete(&agent.thread(thread_id, &format!("/notes/{}", note["note_id"].as_str().unwrap())))
        .await
        .require_no_content();
    let draft = agent.post(&agent.inbox("/drafts"), json!({"in_reply_to": id, "text": "yes"})).await.ok();
    let draft = agent.inbox(&format!("/drafts/{}", draft["draft_id"].as_str().unwrap()));
    agent.patch(&draft, json!({"text": "no"})).await.ok();
    agent.get(&draft).await.ok();
    agent.delete(&draft).await.require_no_content();
    agent.patch(&agent.inbox(""), json!({"display_name": "Scout"})).await.ok();
    agent.delete(&agent.message(id, "")).await.require_no_content();
    receive(&server, &agent, &mail_to(&agent, "again")).await;
    agent.delete(&agent.thread(&agent.message_about("again").await["thread_id"], "")).await.require_no_content();
    assert_eq!(agent.get("/v0/organizations").await.ok()["verified"], false);
}

#[tokio::test]
async fn every_send_method_is_limited_to_owner() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let from_stranger = receive_question(&server, &agent, "bob@outside.example").await;
    for method in every_send_method(&agent, &from_stranger).await {
        let envelope = method.send(&agent).await.require_error(403, "organization_unverified");
        assert!(envelope["fix"].as_str().unwrap().contains("/v0/agent/verify"), "{}: {envelope:#}", method.name);
    }
    let from_owner = receive_question(&server, &agent, "owner@example.org").await;
    for method in every_send_method(&agent, &from_owner).await {
        assert_eq!(method.send(&agent).await.status, 200, "{}", method.name);
    }
    // A scheduled draft is refused at its due time.
    let scheduled = json!({"to": "bob@outside.example", "subject": "due", "text": "x", "send_at": far_future()});
    let draft = agent.post(&agent.inbox("/drafts"), scheduled).await.ok();
    make_due(&server).await;
    let path = agent.inbox(&format!("/drafts/{}", draft["draft_id"].as_str().unwrap()));
    eventually("the scheduled draft fails", async || {
        (agent.get(&path).await.ok()["send_status"] == "failed").then_some(())
    })
    .await;
    let sent = agent.get(&agent.inbox("/messages?labels=sent&limit=200")).await.ok();
    assert_eq!(sent["count"], 5, "{sent:#}");
    for message in sent["messages"].as_array().unwrap() {
        assert_eq!(message["to"], json!(["owner@example.org"]), "{message:#}");
    }
}

#[tokio::test]
async fn inbox_of_unverified_organization_uses_sign_up_domain() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    agent.delete(&agent.inbox("")).await.require_no_content();
    let elsewhere = json!({"username": "desk", "domain": "inboxd.localhost"});
    agent.post("/v0/inboxes", elsewhere.clone()).await.require_error(403, "domain_not_verified");
    let made = agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    assert_eq!(made["inbox_id"], "desk@signup.inboxd.localhost");
    agent.post("/v0/inboxes", json!({})).await.require_error(429, "inbox_limit_reached");
    let verified = agent.verify().await;
    assert_eq!(verified["inboxes_on_signup_domain"], json!(["desk@signup.inboxd.localhost"]));
    assert_eq!(agent.post("/v0/inboxes", elsewhere).await.ok()["inbox_id"], "desk@inboxd.localhost");
    let inboxes = agent.get("/v0/inboxes").await.ok();
    assert_eq!(text_fields(&inboxes, "inboxes", "inbox_id"), ["desk@inboxd.localhost", "desk@signup.inboxd.localhost"]);
}

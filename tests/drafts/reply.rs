//! Reply and forward drafts.

use inboxd_testkit::{MailBuilder, RelayServer, encoded};
use serde_json::json;

use super::{create_draft, draft_path};
use crate::support::{mail_to, options, receive, server_and_agent};

#[tokio::test]
async fn reply_draft_has_recipients_subject_and_thread() {
    let (server, agent) = server_and_agent().await;
    let mail = mail_to(&agent, "Lunch").id("<lunch@outside.example>").header("Cc", "Bob <bob@outside.example>");
    receive(&server, &agent, &mail).await;
    let message = agent.message_about("Lunch").await;
    let draft = create_draft(&agent, json!({"in_reply_to": "lunch@outside.example", "text": "Yes."})).await;
    assert_eq!((&draft["to"], &draft["subject"]), (&json!(["Alice <alice@outside.example>"]), &json!("Re: Lunch")));
    assert_eq!(draft["in_reply_to"], "<lunch@outside.example>");
    assert_eq!(
        (&draft["thread_id"], &draft["references"]),
        (&message["thread_id"], &json!(["<lunch@outside.example>"]))
    );
    let everyone = create_draft(&agent, json!({"in_reply_to": "<lunch@outside.example>", "reply_all": true})).await;
    assert_eq!((&everyone["to"], &everyone["cc"]), (&draft["to"], &json!(["Bob <bob@outside.example>"])));
    for field in ["to", "cc", "bcc"] {
        let body = json!({"in_reply_to": "<lunch@outside.example>", "reply_all": true, field: ["eve@outside.example"]});
        assert_eq!(agent.post(&agent.inbox("/drafts"), body).await.bad_fields(), [field]);
    }
    agent
        .post(&agent.inbox("/drafts"), json!({"in_reply_to": "<none@outside.example>"}))
        .await
        .require_error(404, "not_found");

    // The thread lists exactly its drafts.
    create_draft(&agent, json!({"subject": "plain"})).await;
    let thread = agent.get(&agent.thread(&message["thread_id"], "")).await.ok();
    assert_eq!(thread["drafts"], json!([everyone, draft]));
    let key =
        agent.create_key("/v0/api-keys", json!({"name": "mail only", "permissions": {"message_read": true}})).await;
    assert_eq!(key.get(&agent.thread(&message["thread_id"], "")).await.ok()["drafts"], json!([]));
    let sent = agent.post(&draft_path(&agent, &draft, "/send"), json!({})).await.ok();
    assert_eq!(sent["thread_id"], message["thread_id"]);
    let thread = agent.get(&agent.thread(&message["thread_id"], "")).await.ok();
    assert_eq!((&thread["drafts"], &thread["count"]), (&json!([everyone]), &json!(2)));
}

#[tokio::test]
async fn sent_reply_draft_has_reply_headers() {
    let relay = RelayServer::start().await;
    let server = options().relay(&relay).start().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    agent.verify_with(&relay.code_for("owner@example.org").await).await;
    let mail = mail_to(&agent, "Lunch").id("<lunch@outside.example>").header("References", "<first@outside.example>");
    receive(&server, &agent, &mail).await;
    let draft = create_draft(&agent, json!({"in_reply_to": "<lunch@outside.example>", "text": "Yes."})).await;
    agent.post(&draft_path(&agent, &draft, "/send"), json!({})).await.ok();
    let mail = relay.mail_about("Re: Lunch").await;
    assert_eq!(mail.header("In-Reply-To"), "<lunch@outside.example>");
    assert_eq!(mail.header("References"), "<first@outside.example> <lunch@outside.example>");
    assert_eq!(mail.to, ["alice@outside.example"]);
}

#[tokio::test]
async fn sent_forward_draft_has_text_and_attachments() {
    let (server, agent) = server_and_agent().await;
    let mail = MailBuilder::new("Alice <alice@outside.example>", &agent.inbox_id, "Contract", "Please sign.")
        .id("<contract@outside.example>")
        .attach("contract.pdf", "application/pdf", b"%PDF");
    receive(&server, &agent, &mail).await;
    let original = agent.message_about("Contract").await;
    let body = json!({"forward_of": "<contract@outside.example>", "to": "bob@outside.example", "text": "See below."});
    let draft = create_draft(&agent, body).await;
    assert_eq!(
        (&draft["subject"], &draft["forward_of"]),
        (&json!("Fwd: Contract"), &json!("<contract@outside.example>"))
    );
    assert_eq!((draft.get("thread_id"), draft.get("in_reply_to"), &draft["text"]), (None, None, &json!("See below.")));
    let sent = agent.post(&draft_path(&agent, &draft, "/send"), json!({})).await.ok();
    assert_ne!(sent["thread_id"], original["thread_id"]);
    let stored = agent.get(&agent.message(&sent["message_id"], "")).await.ok();
    let text = stored["text"].as_str().unwrap();
    assert!(text.starts_with("See below.") && text.contains("Please sign."), "{text}");
    assert_eq!(
        (&stored["subject"], &stored["attachments"][0]["filename"]),
        (&json!("Fwd: Contract"), &json!("contract.pdf"))
    );

    // Without the message the forward is refused; the draft stays.
    let body = json!({"forward_of": "<contract@outside.example>", "to": "bob@outside.example"});
    let draft = create_draft(&agent, body).await;
    agent
        .delete(&agent.inbox(&format!("/messages/{}", encoded("<contract@outside.example>"))))
        .await
        .require_no_content();
    agent.post(&draft_path(&agent, &draft, "/send"), json!({})).await.require_error(404, "not_found");
    assert_eq!(agent.get(&draft_path(&agent, &draft, "")).await.ok(), draft);
}

#[tokio::test]
async fn reply_draft_outlives_its_thread() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "Lunch").id("<lunch@outside.example>")).await;
    let draft = create_draft(&agent, json!({"in_reply_to": "<lunch@outside.example>", "text": "Yes."})).await;
    agent.delete(&agent.thread(&draft["thread_id"], "")).await.require_no_content();
    let sent = agent.post(&draft_path(&agent, &draft, "/send"), json!({})).await.ok();
    assert_ne!(sent["thread_id"], draft["thread_id"]);
    let stored = agent.get(&agent.message(&sent["message_id"], "")).await.ok();
    assert_eq!(stored["in_reply_to"], "<lunch@outside.example>");
}

//! Drafts that answer or pass on a message.

use inboxd_testkit::{Mail, Relay, encoded};
use serde_json::json;

use super::{path, write};
use crate::support::{mail_to, options, receive, server_and_agent};

#[tokio::test]
async fn a_reply_draft_has_its_recipients_and_subject_and_stands_in_its_thread() {
    let (server, agent) = server_and_agent().await;
    let mail = mail_to(&agent, "Lunch").id("<lunch@outside.example>").header("Cc", "Bob <bob@outside.example>");
    receive(&server, &agent, &mail).await;
    let message = agent.message_about("Lunch").await;
    let draft = write(&agent, json!({"in_reply_to": "lunch@outside.example", "text": "Yes."})).await;
    assert_eq!((&draft["to"], &draft["subject"]), (&json!(["Alice <alice@outside.example>"]), &json!("Re: Lunch")));
    assert_eq!(draft["in_reply_to"], "<lunch@outside.example>");
    assert_eq!(
        (&draft["thread_id"], &draft["references"]),
        (&message["thread_id"], &json!(["<lunch@outside.example>"]))
    );
    let everyone = write(&agent, json!({"in_reply_to": "<lunch@outside.example>", "reply_all": true})).await;
    assert_eq!((&everyone["to"], &everyone["cc"]), (&draft["to"], &json!(["Bob <bob@outside.example>"])));
    for field in ["to", "cc", "bcc"] {
        let body = json!({"in_reply_to": "<lunch@outside.example>", "reply_all": true, field: ["eve@outside.example"]});
        assert_eq!(agent.post(&agent.inbox("/drafts"), body).await.bad_fields(), [field]);
    }
    agent
        .post(&agent.inbox("/drafts"), json!({"in_reply_to": "<none@outside.example>"}))
        .await
        .refused(404, "not_found");

    // A get on the thread lists its drafts, and no others.
    write(&agent, json!({"subject": "plain"})).await;
    let thread = agent.get(&agent.thread(&message["thread_id"], "")).await.ok();
    assert_eq!(thread["drafts"], json!([everyone, draft]));
    let key = agent.key_with("/v0/api-keys", json!({"name": "mail only", "permissions": {"message_read": true}})).await;
    assert_eq!(key.get(&agent.thread(&message["thread_id"], "")).await.ok()["drafts"], json!([]));
    let sent = agent.post(&path(&agent, &draft, "/send"), json!({})).await.ok();
    assert_eq!(sent["thread_id"], message["thread_id"]);
    let thread = agent.get(&agent.thread(&message["thread_id"], "")).await.ok();
    assert_eq!((&thread["drafts"], &thread["count"]), (&json!([everyone]), &json!(2)));
}

#[tokio::test]
async fn a_reply_draft_is_an_answer_on_the_wire() {
    let relay = Relay::start().await;
    let server = options().relay(&relay).start().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    agent.verify_with(&relay.code_for("owner@example.org").await).await;
    let mail = mail_to(&agent, "Lunch").id("<lunch@outside.example>").header("References", "<first@outside.example>");
    receive(&server, &agent, &mail).await;
    let draft = write(&agent, json!({"in_reply_to": "<lunch@outside.example>", "text": "Yes."})).await;
    agent.post(&path(&agent, &draft, "/send"), json!({})).await.ok();
    let mail = relay.mail_about("Re: Lunch").await;
    assert_eq!(mail.header("In-Reply-To"), "<lunch@outside.example>");
    assert_eq!(mail.header("References"), "<first@outside.example> <lunch@outside.example>");
    assert_eq!(mail.to, ["alice@outside.example"]);
}

#[tokio::test]
async fn a_forward_draft_carries_text_and_attachments_when_it_is_sent() {
    let (server, agent) = server_and_agent().await;
    let mail = Mail::new("Alice <alice@outside.example>", &agent.inbox_id, "Contract", "Please sign.")
        .id("<contract@outside.example>")
        .attach("contract.pdf", "application/pdf", b"%PDF");
    receive(&server, &agent, &mail).await;
    let original = agent.message_about("Contract").await;
    let body = json!({"forward_of": "<contract@outside.example>", "to": "bob@outside.example", "text": "See below."});
    let draft = write(&agent, body).await;
    assert_eq!(
        (&draft["subject"], &draft["forward_of"]),
        (&json!("Fwd: Contract"), &json!("<contract@outside.example>"))
    );
    assert_eq!((draft.get("thread_id"), draft.get("in_reply_to"), &draft["text"]), (None, None, &json!("See below.")));
    let sent = agent.post(&path(&agent, &draft, "/send"), json!({})).await.ok();
    assert_ne!(sent["thread_id"], original["thread_id"]);
    let stored = agent.get(&agent.message(&sent["message_id"], "")).await.ok();
    let text = stored["text"].as_str().unwrap();
    assert!(text.starts_with("See below.") && text.contains("Please sign."), "{text}");
    assert_eq!(
        (&stored["subject"], &stored["attachments"][0]["filename"]),
        (&json!("Fwd: Contract"), &json!("contract.pdf"))
    );

    // Without the message there is nothing to pass on; the draft stays.
    let body = json!({"forward_of": "<contract@outside.example>", "to": "bob@outside.example"});
    let draft = write(&agent, body).await;
    agent.delete(&agent.inbox(&format!("/messages/{}", encoded("<contract@outside.example>")))).await.gone();
    agent.post(&path(&agent, &draft, "/send"), json!({})).await.refused(404, "not_found");
    assert_eq!(agent.get(&path(&agent, &draft, "")).await.ok(), draft);
}

#[tokio::test]
async fn a_reply_draft_outlives_its_thread() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "Lunch").id("<lunch@outside.example>")).await;
    let draft = write(&agent, json!({"in_reply_to": "<lunch@outside.example>", "text": "Yes."})).await;
    agent.delete(&agent.thread(&draft["thread_id"], "")).await.gone();
    let sent = agent.post(&path(&agent, &draft, "/send"), json!({})).await.ok();
    assert_ne!(sent["thread_id"], draft["thread_id"]);
    let stored = agent.get(&agent.message(&sent["message_id"], "")).await.ok();
    assert_eq!(stored["in_reply_to"], "<lunch@outside.example>");
}

//! Attachments that name a stored file of the inbox.

use inboxd_testkit::{HttpRequest, Persona};
use serde_json::{Value, json};

use super::{server_with_relay, server_with_relay_and_options};
use crate::drafts::create_draft;
use crate::files::{key, new_file, put, store};
use crate::support::{in_seconds, mail_to, options, receive};

/// Returns a message with these attachments.
fn with_attachments(subject: &str, attachments: &Value) -> Value {
    json!({"to": "bob@outside.example", "subject": subject, "text": "Here it is.", "attachments": attachments})
}

/// Returns names, media types and contents of the attachments of a raw message.
fn attached(raw: &[u8]) -> Vec<(String, String, Vec<u8>)> {
    let describe = |part: &inboxd_mail::ParsedAttachment| {
        let content = inboxd_mail::attachment_content(raw, part.part).unwrap();
        (part.filename.clone().unwrap_or_default(), part.content_type.clone().unwrap_or_default(), content)
    };
    inboxd_mail::parse(raw).attachments.iter().map(describe).collect()
}

async fn refused_fields(agent: &Persona, file_id: &Value) -> Vec<String> {
    let body = with_attachments("refused", &json!([{"content": "QQ=="}, {"file_id": file_id}]));
    agent.post(&agent.inbox("/messages/send"), body).await.bad_fields()
}

#[tokio::test]
async fn stored_file_is_attached_to_every_kind_of_message() {
    let (relay, server, agent) = server_with_relay().await;
    let file = store(&server, &agent, "reports/q3.csv", b"a,b\n1,2\n").await;
    let attachments = json!([
        {"file_id": file["file_id"]},
        {"file_id": file["file_id"], "filename": "table.bin", "content_type": "application/octet-stream"},
        {"content": "aGk=", "filename": "hi.txt"},
    ]);
    let content = b"a,b\n1,2\n".to_vec();
    let expected = [
        ("q3.csv".to_owned(), "text/plain".to_owned(), content.clone()),
        ("table.bin".to_owned(), "application/octet-stream".to_owned(), content),
        ("hi.txt".to_owned(), "application/octet-stream".to_owned(), b"hi".to_vec()),
    ];

    let mut trial = with_attachments("trial", &attachments);
    trial["dry_run"] = json!(true);
    let trial = agent.post(&agent.inbox("/messages/send"), trial).await.ok();
    assert_eq!((&trial["result"], &trial["message"]["attachments"][0]["size"]), (&json!("send"), &json!(8)));
    let sent = agent.send(with_attachments("sent", &attachments)).await;
    assert_eq!(attached(&relay.mail_about("sent").await.raw), expected);

    receive(&server, &agent, &mail_to(&agent, "question")).await;
    let question = agent.message_about("question").await;
    let about = |subject: &str| with_attachments(subject, &attachments);
    for (action, subject) in [("reply", "replied"), ("forward", "forwarded")] {
        agent.post(&agent.message(&question["message_id"], &format!("/{action}")), about(subject)).await.ok();
        assert_eq!(attached(&relay.mail_about(subject).await.raw), expected, "{action}");
    }
    let everyone = json!({"subject": "to all", "text": "x", "attachments": attachments});
    agent.post(&agent.message(&question["message_id"], "/reply-all"), everyone).await.ok();
    assert_eq!(attached(&relay.mail_about("to all").await.raw), expected);

    let draft = create_draft(&agent, about("drafted")).await;
    let draft = agent.inbox(&format!("/drafts/{}", draft["draft_id"].as_str().unwrap()));
    let added = json!({"add_attachments": [{"file_id": file["file_id"], "filename": "more.csv"}]});
    agent.patch(&draft, added).await.ok();
    // Messages and drafts have their own copy.
    let file = agent.inbox(&format!("/files/{}", file["file_id"].as_str().unwrap()));
    agent.delete(&file).await.require_no_content();
    agent.post(&format!("{draft}/send"), json!({})).await.ok();
    let drafted = relay.mail_about("drafted").await.raw;
    assert_eq!((&attached(&drafted)[..3], attached(&drafted)[3].0.as_str()), (expected.as_slice(), "more.csv"));
    let stored = agent.get(&agent.message(&sent["message_id"], "")).await.ok();
    let path = format!("/attachments/{}", stored["attachments"][0]["attachment_id"].as_str().unwrap());
    let bytes = HttpRequest::new("GET", &agent.message(&sent["message_id"], &path));
    let bytes = agent.call(bytes.header("Accept", "application/octet-stream")).await;
    assert_eq!((bytes.status, bytes.text().as_str()), (200, "a,b\n1,2\n"));
}

#[tokio::test]
async fn file_that_is_pending_gone_or_elsewhere_is_refused() {
    let (relay, server, agent) = server_with_relay().await;
    let pending = agent.post(&agent.inbox("/files"), new_file("pending", b"x")).await.ok();
    let refused = agent
        .post(&agent.inbox("/messages/send"), with_attachments("x", &json!([{"file_id": pending["file_id"]}])))
        .await;
    assert!(refused.text().contains("complete it first"), "{}", refused.text());
    put(&server, &pending, b"x").await.ok();
    let mut short = new_file("short", b"short");
    short["expires_at"] = json!(in_seconds(60));
    let short = agent.post(&agent.inbox("/files"), short).await.ok();
    put(&server, &short, b"short").await.ok();
    agent.post(&agent.inbox(&format!("/files/{}/complete", short["file_id"].as_str().unwrap())), json!({})).await.ok();
    let expire = "UPDATE files SET ends_at = now(), expires_at = now() - interval '1 s' WHERE expires_at IS NOT NULL";
    server.database().execute(expire).await;
    let own = store(&server, &agent, "own", b"x").await;
    let deleted = store(&server, &agent, "deleted", b"x").await;
    agent.delete(&agent.inbox(&format!("/files/{}", deleted["file_id"].as_str().unwrap()))).await.require_no_content();
    let stranger = server.sign_up("stranger@example.org", "stranger").await;
    stranger.verify_with(&relay.code_for("stranger@example.org").await).await;
    let foreign = store(&server, &stranger, "foreign", b"x").await;
    let unknown = json!("fil_00000000000000000000000000000000");
    for file_id in [&pending["file_id"], &short["file_id"], &deleted["file_id"], &foreign["file_id"], &unknown] {
        assert_eq!(refused_fields(&agent, file_id).await, ["attachments[1].file_id"], "{file_id}");
    }
    assert_eq!(refused_fields(&agent, &json!("nothing")).await, ["attachments[1].file_id"]);
    let desk = agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let send = format!("/v0/inboxes/{}/messages/send", desk["inbox_id"].as_str().unwrap());
    let body = with_attachments("x", &json!([{"file_id": own["file_id"]}]));
    assert_eq!(agent.post(&send, body.clone()).await.bad_fields(), ["attachments[0].file_id"], "of another inbox");
    let draft = create_draft(&agent, json!({"text": "Later"})).await;
    let draft = agent.inbox(&format!("/drafts/{}", draft["draft_id"].as_str().unwrap()));
    let added = json!({"add_attachments": [{"file_id": pending["file_id"]}]});
    assert_eq!(agent.patch(&draft, added).await.bad_fields(), ["add_attachments[0].file_id"]);
    let twice = json!([{"file_id": own["file_id"], "content": "QQ=="}]);
    let twice = agent.post(&agent.inbox("/messages/send"), with_attachments("x", &twice)).await;
    assert_eq!(twice.bad_fields(), ["attachments[0]"]);

    let sender = key(&server, &agent, json!({"message_send": true, "draft_create": true, "file_create": true})).await;
    for target in ["/messages/send", "/drafts"] {
        sender.post(&agent.inbox(target), body.clone()).await.require_error(403, "missing_permission");
    }
    let reader = key(&server, &agent, json!({"message_send": true, "file_read": true})).await;
    reader.post(&agent.inbox("/messages/send"), body).await.ok();
}

#[tokio::test]
async fn stored_files_count_for_the_size_of_the_message() {
    let (_relay, server, agent) =
        server_with_relay_and_options(options().set("INBOXD_MAX_MESSAGE_BYTES", "1000000")).await;
    let file = store(&server, &agent, "large", &vec![b'x'; 400_000]).await;
    let reference = json!({"file_id": file["file_id"]});
    let send = agent.inbox("/messages/send");
    agent.post(&send, with_attachments("one", &json!([reference]))).await.ok();
    for attachments in [json!([reference, reference]), json!([reference, reference, reference])] {
        agent.post(&send, with_attachments("more", &attachments)).await.require_error(413, "payload_too_large");
        let drafts = agent.inbox("/drafts");
        agent.post(&drafts, with_attachments("more", &attachments)).await.require_error(413, "payload_too_large");
    }
}

//! Attachments by reference to a stored message, and by URL.

use inboxd_testkit::{FileServer, RelayServer};
use serde_json::{Value, json};

use super::client::{ToolClient, bad_arguments};
use super::parameters::World;
use crate::files::store;
use crate::support::{mail_to, options, receive};

async fn with_stored(world: &World) -> Value {
    let mail = mail_to(&world.agent, "with a file").attach("plan.pdf", "application/pdf", b"%PDF-1.7 plan");
    receive(&world.server, &world.agent, &mail).await;
    world.agent.message_about("with a file").await
}

#[tokio::test]
async fn stored_attachment_is_sent_again() {
    let world = World::new().await;
    let stored = with_stored(&world).await;
    let reference =
        json!({"messageId": stored["message_id"], "attachmentId": stored["attachments"][0]["attachment_id"]});
    let arguments = json!({
        "inboxId": world.agent.inbox_id, "to": ["bob@outside.example"], "subject": "again", "text": "x",
        "attachments": [reference, {
            "messageId": stored["message_id"], "attachmentId": stored["attachments"][0]["attachment_id"],
            "filename": "renamed.bin", "contentType": "application/octet-stream",
        }],
    });
    world.tools.call("send_message", arguments).await;
    let mail = world.relay.mail_about("again").await;
    let read = inboxd_mail::parse(&mail.raw);
    let found: Vec<_> = read
        .attachments
        .iter()
        .map(|part| (part.filename.clone().unwrap(), inboxd_mail::attachment_content(&mail.raw, part.part).unwrap()))
        .collect();
    let content = b"%PDF-1.7 plan".to_vec();
    assert_eq!(found, [("plan.pdf".to_owned(), content.clone()), ("renamed.bin".to_owned(), content)]);
}

#[tokio::test]
async fn stored_attachment_is_read_within_the_scope_of_the_caller() {
    let world = World::new().await;
    let stored = with_stored(&world).await;
    let reference =
        json!({"messageId": stored["message_id"], "attachmentId": stored["attachments"][0]["attachment_id"]});
    let arguments = |inbox_id: &str| {
        json!({
            "inboxId": inbox_id, "to": ["bob@outside.example"], "subject": "stolen", "text": "x",
            "attachments": [reference],
        })
    };
    // Of another tenant, of another inbox, and without the permission to read.
    let stranger = world.server.sign_up("stranger@example.org", "stranger").await;
    stranger.verify_with(&world.relay.code_for("stranger@example.org").await).await;
    let refused = ToolClient::new(&stranger).refused("send_message", arguments(&stranger.inbox_id)).await;
    assert_eq!(refused["code"], "not_found", "{refused:#}");
    let other = world.tools.call("create_inbox", json!({})).await["inboxId"].as_str().unwrap().to_owned();
    assert_eq!(world.tools.refused("send_message", arguments(&other)).await["code"], "not_found");
    let key = json!({"name": "sender", "permissions": {"message_send": true}});
    let sender = ToolClient::new(&world.agent.create_key("/v0/api-keys", key).await);
    let refused = sender.refused("send_message", arguments(&world.agent.inbox_id)).await;
    assert_eq!(refused["code"], "missing_permission", "{refused:#}");
    assert!(world.relay.mails().iter().all(|mail| mail.header("Subject") != "stolen"));
}

#[tokio::test]
async fn url_is_fetched_by_the_guarded_fetcher() {
    let relay = RelayServer::start().await;
    let server = options().relay(&relay).set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").start().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    agent.verify_with(&relay.code_for("owner@example.org").await).await;
    let web = FileServer::start("text/csv", b"a,b\n").await;
    let arguments = |url: &str| {
        json!({
            "inboxId": agent.inbox_id, "to": ["bob@outside.example"], "subject": "by url", "text": "x",
            "attachments": [{"url": url, "filename": "table.csv"}],
        })
    };
    let tools = ToolClient::new(&agent);
    let refused = tools.refused("send_message", arguments("http://169.254.169.254/latest")).await;
    assert_eq!(refused["code"], "validation_error", "{refused:#}");
    tools.call("send_message", arguments(&web.url())).await;
    let mail = relay.mail_about("by url").await;
    let read = inboxd_mail::parse(&mail.raw);
    assert_eq!(inboxd_mail::attachment_content(&mail.raw, read.attachments[0].part).unwrap(), b"a,b\n");
}

#[tokio::test]
async fn stored_file_is_sent_by_its_id() {
    let world = World::new().await;
    let file = store(&world.server, &world.agent, "reports/q3.txt", b"third quarter").await;
    let attachments = json!([{"fileId": file["file_id"]}, {"fileId": file["file_id"], "filename": "copy.txt"}]);
    let arguments = |attachments: &Value| {
        json!({
            "inboxId": world.agent.inbox_id, "to": ["bob@outside.example"], "subject": "by file", "text": "x",
            "attachments": attachments,
        })
    };
    world.tools.call("send_message", arguments(&attachments)).await;
    let mail = world.relay.mail_about("by file").await;
    let read = inboxd_mail::parse(&mail.raw);
    let names: Vec<_> = read.attachments.iter().map(|part| part.filename.as_deref().unwrap()).collect();
    assert_eq!(names, ["q3.txt", "copy.txt"]);
    let unknown = json!([{"fileId": "fil_00000000000000000000000000000000"}]);
    let refused = world.tools.refused("send_message", arguments(&unknown)).await;
    assert_eq!(bad_arguments(&refused), ["attachments[0].fileId"], "{refused:#}");
}

#[tokio::test]
async fn unclear_source_is_refused() {
    let world = World::new().await;
    for (attachment, path) in [
        (json!({"filename": "a"}), "attachments[0]"),
        (json!({"content": "aGk=", "url": "https://x.example"}), "attachments[0]"),
        (json!({"messageId": "<a@b>"}), "attachments[0]"),
        (json!({"content": "aGk=", "path": "/etc/passwd"}), "attachments[0].path"),
    ] {
        let arguments = json!({"inboxId": world.agent.inbox_id, "to": ["bob@outside.example"], "text": "x", "attachments": [attachment]});
        assert_eq!(bad_arguments(&world.tools.refused("send_message", arguments).await), [path], "{attachment}");
    }
}

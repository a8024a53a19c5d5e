//! Large contents outside the database, in a folder (`INBOXD_BLOBS`).

mod cluster;
mod held;
mod moves;
mod outages;
mod ranges;

use std::path::{Path, PathBuf};

use inboxd_testkit::{ApiResponse, HttpRequest, MailBuilder, Persona, ServerOptions, TestServer, eventually};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::drafts::create_draft;
use crate::files;
use crate::support::{mail_to, options, receive, with_state_of};

/// Maximum attachments of a draft.
const MAX_ATTACHMENTS: usize = 500;

/// Returns options of a server with large contents in a folder.
fn options_with_folder(folder: &Path) -> ServerOptions {
    options().set("INBOXD_BLOBS", format!("file://{}", folder.display()))
}

/// A folder for objects, a running server with large contents in it, and an agent with a verified owner.
async fn server_with_folder() -> (TempDir, TestServer, Persona) {
    let folder = tempfile::tempdir().unwrap();
    let server = options_with_folder(&folder.path().join("blobs")).start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    (folder, server, agent)
}

/// Returns bytes that repeat only after a long time.
fn content(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|place| u32::try_from(place).unwrap().wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect()
}

/// A mail of about 400 KB.
fn large_mail(agent: &Persona, subject: &str) -> MailBuilder {
    mail_to(agent, subject).attach("a.bin", "application/octet-stream", &content(300_000))
}

async fn raw(agent: &Persona, message_id: &Value) -> ApiResponse {
    agent.call(HttpRequest::new("GET", &agent.message(message_id, "/raw")).header("Accept", "message/rfc822")).await
}

/// Returns the files of all objects, without the mark of the service.
fn objects(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(objects(&path));
        } else if !path.ends_with("inboxd/store/owner") {
            found.push(path);
        }
    }
    found
}

#[tokio::test]
async fn large_mail_is_read_from_its_object_and_survives_a_restart() {
    let (folder, mut server, agent) = server_with_folder().await;
    let mail = large_mail(&agent, "large");
    receive(&server, &agent, &mail_to(&agent, "small")).await;
    assert!(objects(folder.path()).is_empty());
    receive(&server, &agent, &mail).await;
    let [object] = objects(folder.path()).try_into().unwrap();
    let sealed = std::fs::read(object).unwrap();
    let subject = b"Subject: large".as_slice();
    assert!(!sealed.windows(subject.len()).any(|part| part == subject), "objects are sealed");
    server.kill().await;
    server.restart().await;
    let agent = agent.at(&server);
    let message = agent.message_about("large").await;
    assert!(raw(&agent, &message["message_id"]).await.body.ends_with(&mail.raw()));
    let attachment = message["attachments"][0]["attachment_id"].as_str().unwrap();
    let target = agent.message(&message["message_id"], &format!("/attachments/{attachment}"));
    let wanted = HttpRequest::new("GET", &target).header("Accept", "application/octet-stream");
    assert!(agent.call(wanted).await.body == content(300_000));
    let found = agent.get(&agent.inbox("/messages/search?q=large")).await;
    assert_eq!(found.ok()["messages"][0]["message_id"], message["message_id"]);
}

#[tokio::test]
async fn draft_attachment_and_file_are_objects_that_a_message_contains() {
    let (folder, server, agent) = server_with_folder().await;
    let (attached, stored) = (content(100_000), content(120_000));
    let file = files::store(&server, &agent, "a.bin", &stored).await;
    let encoded = base64(&attached);
    let attachments = json!([{"filename": "b.bin", "content": encoded}, {"file_id": file["file_id"]}]);
    let draft =
        create_draft(&agent, json!({"to": agent.inbox_id, "subject": "both", "attachments": attachments})).await;
    assert_eq!(objects(folder.path()).len(), 3, "the file, and two attachments of the draft");
    let send = agent.inbox(&format!("/drafts/{}/send", draft["draft_id"].as_str().unwrap()));
    agent.post(&send, json!({})).await.ok();
    let received = eventually("the message arrives", async || {
        let mut list = agent.messages().await.into_iter();
        list.find(|message| message["labels"].as_array().unwrap().contains(&json!("received")))
    })
    .await;
    let sizes: Vec<&Value> = received["attachments"].as_array().unwrap().iter().map(|one| &one["size"]).collect();
    assert_eq!(sizes, [100_000, 120_000]);
}

#[tokio::test]
async fn refused_attachment_leaves_no_object() {
    let (folder, _server, agent) = server_with_folder().await;
    let attachment = |content: &[u8]| json!({"filename": "a.bin", "content": base64(content)});
    // A request has at most 100 attachments.
    let small: Vec<Value> = (0..100).map(|_| attachment(b"small")).collect();
    let draft = create_draft(&agent, json!({"to": agent.inbox_id, "attachments": small})).await;
    let path = agent.inbox(&format!("/drafts/{}", draft["draft_id"].as_str().unwrap()));
    for _ in 1..MAX_ATTACHMENTS / 100 {
        agent.patch(&path, json!({"add_attachments": small})).await.ok();
    }
    let change = json!({"add_attachments": [attachment(&content(100_000))]});
    agent.patch(&path, change.clone()).await.require_error(422, "validation_error");
    assert!(objects(folder.path()).is_empty());
    let removed = json!({"remove_attachments": [draft["attachments"][0]["attachment_id"]]});
    agent.patch(&path, removed).await.ok();
    agent.patch(&path, change).await.ok();
    assert_eq!(objects(folder.path()).len(), 1);
}

#[tokio::test]
async fn deleted_message_takes_its_object_after_the_retention() {
    let folder = tempfile::tempdir().unwrap();
    let blobs = folder.path().join("blobs");
    let process = || options_with_folder(&blobs).set("INBOXD_BLOB_RETENTION_DAYS", "0");
    let server = process().start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    receive(&server, &agent, &large_mail(&agent, "first")).await;
    receive(&server, &agent, &large_mail(&agent, "second")).await;
    let first = agent.message_about("first").await;
    assert_eq!(objects(&blobs).len(), 2);
    agent.delete(&agent.message(&first["message_id"], "")).await.require_no_content();
    // It removes objects at once, the server within ten seconds.
    let _worker = with_state_of(&server, process()).set("INBOXD_ROLES", "worker").start().await;
    eventually("its object is deleted", async || (objects(&blobs).len() == 1).then_some(())).await;
    let second = agent.message_about("second").await;
    assert_eq!(raw(&agent, &second["message_id"]).await.status, 200);
}

#[tokio::test]
async fn upload_without_a_row_is_deleted_after_a_day() {
    let (folder, mut server, agent) = server_with_folder().await;
    receive(&server, &agent, &large_mail(&agent, "large")).await;
    let [object] = objects(folder.path()).try_into().unwrap();
    server.kill().await;
    // As after a kill between the upload and the commit, and in the middle of an upload.
    let name = "019ac0de-0000-7000-8000-000000000001";
    let orphans = [object.with_file_name(name), object.with_file_name(format!("{name}-new"))];
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    for path in orphans.iter().chain([&object]) {
        if *path != object {
            std::fs::copy(&object, path).unwrap();
        }
        std::fs::File::options().write(true).open(path).unwrap().set_modified(old).unwrap();
    }
    // The first search of this database was a moment ago.
    server.database().execute("UPDATE blob_sweeps SET due_at = now() - interval '1 minute'").await;
    server.restart().await;
    eventually("they are deleted", async || (objects(folder.path()) == [object.clone()]).then_some(())).await;
    let agent = agent.at(&server);
    let message = agent.message_about("large").await;
    assert_eq!(raw(&agent, &message["message_id"]).await.status, 200);
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

//! Attachments of drafts.

use base64::Engine as _;
use inboxd_testkit::{FileServer, HttpRequest};
use serde_json::{Value, json};

use super::{create_draft, draft_path};
use crate::support::{options, server_and_agent};

fn base64(bytes: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

fn names(draft: &Value) -> Vec<&str> {
    let Some(files) = draft["attachments"].as_array() else { return Vec::new() };
    files.iter().map(|file| file["filename"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn draft_attachments_are_fetched_by_attachment_id() {
    let (server, agent) = server_and_agent().await;
    let content: Vec<u8> = (0..=255).cycle().take(70_000).collect();
    let files = json!([{"filename": "a.bin", "content": base64(&content)}, {"filename": "b.txt", "content": base64(b"b"), "content_type": "text/plain", "content_disposition": "inline", "content_id": "b"}]);
    let draft = create_draft(&agent, json!({"attachments": files})).await;
    let (first, second) = (&draft["attachments"][0], &draft["attachments"][1]);
    assert_eq!((&first["size"], &first["filename"]), (&json!(70_000), &json!("a.bin")));
    assert_eq!((&second["content_disposition"], &second["content_id"]), (&json!("inline"), &json!("b")));
    let id = first["attachment_id"].as_str().unwrap();
    let anywhere = format!("/v0/drafts/{}/attachments/{id}", draft["draft_id"].as_str().unwrap());
    for target in [draft_path(&agent, &draft, &format!("/attachments/{id}")), anywhere] {
        let link = agent.get(&target).await.ok();
        assert_eq!((&link["attachment_id"], &link["size"]), (&json!(id), &json!(70_000)));
        assert!(link["expires_at"].is_string(), "{link:#}");
        let url = link["download_url"].as_str().unwrap();
        let download = url.strip_prefix(&server.base_url()).unwrap();
        assert_eq!(server.http().get(download).await.body, content);
        let bytes = agent.call(HttpRequest::new("GET", &target).header("Accept", "application/octet-stream")).await;
        assert_eq!((bytes.status, bytes.body), (200, content.clone()));
    }
    let none = "/attachments/att_00000000000000000000000000000000";
    agent.get(&draft_path(&agent, &draft, none)).await.require_error(404, "not_found");
    // A link is invalid after its draft is deleted.
    let link = agent.get(&draft_path(&agent, &draft, &format!("/attachments/{id}"))).await.ok();
    let download = link["download_url"].as_str().unwrap().strip_prefix(&server.base_url()).unwrap().to_owned();
    agent.delete(&draft_path(&agent, &draft, "")).await.require_no_content();
    server.http().get(&download).await.require_error(404, "not_found");
}

#[tokio::test]
async fn draft_attachments_are_added_and_removed() {
    let (_server, agent) = server_and_agent().await;
    let file = |name: &str| json!({"filename": name, "content": base64(name.as_bytes())});
    let draft = create_draft(&agent, json!({"attachments": [file("a"), file("b")], "to": "bob@outside.example"})).await;
    let target = draft_path(&agent, &draft, "");
    let gone = draft["attachments"][0]["attachment_id"].as_str().unwrap();
    let body = json!({"add_attachments": [file("c")], "remove_attachments": [gone]});
    let changed = agent.patch(&target, body).await.ok();
    assert_eq!(names(&changed), ["b", "c"]);
    assert_eq!(changed["attachments"][0], draft["attachments"][1], "a remaining attachment has the same id");
    agent.get(&draft_path(&agent, &draft, &format!("/attachments/{gone}"))).await.require_error(404, "not_found");
    let bad = json!({"remove_attachments": ["x"]});
    assert_eq!(agent.patch(&target, bad).await.bad_fields(), ["remove_attachments[0]"]);
    let bad = json!({"add_attachments": [file("d"), {"content": "", "content_type": "x"}]});
    assert_eq!(agent.patch(&target, bad).await.bad_fields(), ["add_attachments[1].content_type"]);
    let sent = agent.post(&draft_path(&agent, &draft, "/send"), json!({})).await.ok();
    assert_eq!(names(&agent.get(&agent.message(&sent["message_id"], "")).await.ok()), ["b", "c"]);
}

#[tokio::test]
async fn attachment_url_is_fetched_through_guard_at_draft_creation() {
    let server = options().set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let web = FileServer::start("text/csv", b"a,b\n").await;
    let draft = create_draft(&agent, json!({"attachments": [{"url": web.url(), "filename": "table.csv"}]})).await;
    assert_eq!(
        (&draft["attachments"][0]["size"], &draft["attachments"][0]["content_type"]),
        (&json!(4), &json!("text/csv"))
    );
    let target = draft_path(&agent, &draft, "");
    let changed =
        agent.patch(&target, json!({"add_attachments": [{"url": web.url(), "filename": "more.csv"}]})).await.ok();
    assert_eq!(names(&changed), ["table.csv", "more.csv"]);
    let secret = web.url().replace("127.0.0.1", "127.0.0.2");
    let body = json!({"attachments": [{"url": secret}]});
    assert_eq!(agent.post(&agent.inbox("/drafts"), body).await.bad_fields(), ["attachments[0].url"]);
    let body = json!({"add_attachments": [{"url": secret}]});
    assert_eq!(agent.patch(&target, body).await.bad_fields(), ["add_attachments[0].url"]);
}

#[tokio::test]
async fn attachment_and_message_size_limits_are_enforced() {
    let (_server, agent) = server_and_agent().await;
    let file = |bytes: usize| json!({"filename": "a", "content": base64(&vec![0; bytes])});
    let body = json!({"attachments": [file(25_000_001)]});
    assert_eq!(agent.post(&agent.inbox("/drafts"), body).await.bad_fields(), ["attachments[0]"]);
    let server = options().set("INBOXD_MAX_MESSAGE_BYTES", "65536").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let draft = create_draft(&agent, json!({"attachments": [file(40_000)]})).await;
    let body = json!({"add_attachments": [file(30_000)]});
    agent.patch(&draft_path(&agent, &draft, ""), body).await.require_error(413, "payload_too_large");
}

//! Ranges of raw mail, attachments and files (RFC 9110, section 14).

use std::time::Duration;

use inboxd_testkit::{ApiResponse, HttpClient, HttpRequest};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;
use tokio::time::timeout;

use super::{base64, content, large_mail, objects, raw, server_with_folder};
use crate::abuse::unread::read_status_only;
use crate::drafts::create_draft;
use crate::files;
use crate::support::{mail_to, receive, server_and_agent};

async fn part(client: &HttpClient, target: &str, headers: &[(&str, &str)]) -> ApiResponse {
    let request = HttpRequest::new("GET", target).header("Accept", "application/octet-stream");
    client.call(headers.iter().fold(request, |request, (name, value)| request.header(name, value))).await
}

/// Checks the responses to requests for parts of a content.
async fn check(client: &HttpClient, target: &str, whole: &[u8]) {
    let size = whole.len();
    let full = part(client, target, &[]).await;
    assert_eq!((full.status, full.header("Accept-Ranges")), (200, Some("bytes")));
    assert!(full.body == whole, "{target}");
    let tag = full.header("ETag").unwrap().to_owned();
    let (middle, end) = (size / 2, size - 1);
    for (range, expected) in [
        ("bytes=0-9".to_owned(), 0..10),
        (format!("bytes={middle}-"), middle..size),
        ("bytes=-7".to_owned(), size - 7..size),
        (format!("bytes={end}-999999999999"), end..size),
    ] {
        let response = part(client, target, &[("Range", range.as_str()), ("If-Range", tag.as_str())]).await;
        assert_eq!(response.status, 206, "{target} {range}");
        let shown = format!("bytes {}-{}/{size}", expected.start, expected.end - 1);
        assert_eq!(response.header("Content-Range"), Some(shown.as_str()));
        assert_eq!(response.header("ETag"), Some(tag.as_str()));
        assert!(response.body == whole[expected], "{target} {range}");
    }
    let behind = part(client, target, &[("Range", format!("bytes={size}-").as_str())]).await;
    behind.require_error(416, "range_not_satisfiable");
    assert_eq!(behind.header("Content-Range"), Some(format!("bytes */{size}").as_str()));
    for headers in [
        [("Range", "bytes=0-1,3-4"), ("X-Test", "1")],
        [("Range", "lines=0-1"), ("X-Test", "1")],
        [("Range", "bytes=0-1"), ("If-Range", "\"other\"")],
    ] {
        let response = part(client, target, &headers).await;
        assert_eq!((response.status, response.body.len()), (200, size), "{headers:?}");
    }
    let known = part(client, target, &[("If-None-Match", tag.as_str())]).await;
    assert_eq!((known.status, known.body.len()), (304, 0));
}

fn path_of(url: &Value) -> &str {
    let url = url.as_str().unwrap();
    &url[url.find("/v0/").unwrap()..]
}

#[tokio::test]
async fn ranges_of_objects_are_their_bytes() {
    let (_folder, server, agent) = server_with_folder().await;
    receive(&server, &agent, &large_mail(&agent, "large")).await;
    let message = agent.message_about("large").await;
    let link = agent.get(&agent.message(&message["message_id"], "/raw")).await.ok();
    let whole = raw(&agent, &message["message_id"]).await.body;
    check(&server.http(), path_of(&link["download_url"]), &whole).await;
    let attachment = message["attachments"][0]["attachment_id"].as_str().unwrap();
    let target = agent.message(&message["message_id"], &format!("/attachments/{attachment}"));
    check(&agent, &target, &content(300_000)).await;
    // Objects are sent in pieces of 256 KiB.
    let bytes = content(600_000);
    let file = files::store(&server, &agent, "a.bin", &bytes).await;
    check(&server.http(), path_of(&file["download_url"]), &bytes).await;
    let attachments = json!([{"filename": "b.bin", "content": base64(&bytes)}]);
    let draft = create_draft(&agent, json!({"to": agent.inbox_id, "attachments": attachments})).await;
    let attachment = draft["attachments"][0]["attachment_id"].as_str().unwrap();
    let target = agent.inbox(&format!("/drafts/{}/attachments/{attachment}", draft["draft_id"].as_str().unwrap()));
    check(&agent, &target, &bytes).await;
    let link = agent.get(&target).await.ok();
    check(&server.http(), path_of(&link["download_url"]), &bytes).await;
}

#[tokio::test]
async fn download_breaks_off_where_its_object_is_lost() {
    let (folder, server, agent) = server_with_folder().await;
    receive(&server, &agent, &large_mail(&agent, "large")).await;
    let message = agent.message_about("large").await;
    let link = agent.get(&agent.message(&message["message_id"], "/raw")).await.ok();
    let size = raw(&agent, &message["message_id"]).await.body.len();
    let [object] = objects(folder.path()).try_into().unwrap();
    let mut sealed = std::fs::read(&object).unwrap();
    *sealed.last_mut().unwrap() ^= 1;
    std::fs::write(&object, sealed).unwrap();
    let (status, mut stream) = read_status_only(&server, path_of(&link["download_url"])).await;
    assert_eq!(status, 200, "the first piece is whole");
    let mut received = Vec::new();
    // The end of the connection, with or without a reset.
    let _ = timeout(Duration::from_secs(10), stream.read_to_end(&mut received)).await.unwrap();
    assert!(received.len() < size, "{} bytes", received.len());
    let name = object.file_name().unwrap().to_str().unwrap();
    let is_loss = |entry: &Value| entry["message"] == "stored object not read" && entry.to_string().contains(name);
    server.log().entry("the log names the object", is_loss).await;
}

#[tokio::test]
async fn ranges_of_contents_in_rows_are_their_bytes() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "small").attach("a.bin", "image/png", &content(1_000))).await;
    let message = agent.message_about("small").await;
    let attachment = message["attachments"][0]["attachment_id"].as_str().unwrap();
    let target = agent.message(&message["message_id"], &format!("/attachments/{attachment}"));
    check(&agent, &target, &content(1_000)).await;
    let file = files::store(&server, &agent, "a.bin", &content(1_000)).await;
    check(&server.http(), path_of(&file["download_url"]), &content(1_000)).await;
}

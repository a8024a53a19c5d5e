//! A store that is away for a while.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use inboxd_testkit::{HttpRequest, Persona, TestServer, eventually};
use serde_json::{Value, json};

use super::{base64, content, large_mail, objects, raw, server_with_folder};
use crate::files;
use crate::support::{mail_to, options, receive};

async fn deliver_large(server: &TestServer, agent: &Persona, subject: &str) -> (u16, String) {
    let mail = large_mail(agent, subject);
    let reply = server.deliver("alice@outside.example", &[&agent.inbox_id], mail.raw()).await;
    (reply.code, reply.lines.join("\n"))
}

#[tokio::test]
async fn store_away_defers_large_mail_and_its_reads_alone() {
    let (folder, server, agent) = server_with_folder().await;
    let (here, away) = (folder.path().join("blobs"), folder.path().join("away"));
    receive(&server, &agent, &large_mail(&agent, "before")).await;
    let before = agent.message_about("before").await;
    let created = agent.post(&agent.inbox("/files"), files::new_file("a.bin", &content(100_000))).await.ok();
    let reader = agent.create_key("/v0/api-keys", json!({"name": "reader"})).await;
    std::fs::rename(&here, &away).unwrap();

    let (code, text) = deliver_large(&server, &agent, "during").await;
    assert_eq!(code, 451, "{text}");
    assert!(text.contains("try again later, or send a smaller mail"), "{text}");
    receive(&server, &agent, &mail_to(&agent, "small")).await;
    let small = agent.message_about("small").await;
    assert_eq!(raw(&agent, &small["message_id"]).await.status, 200);
    assert!(agent.message_about("before").await["text"].as_str().unwrap().contains("About before."));
    let refused = raw(&agent, &before["message_id"]).await;
    refused.require_error(503, "service_unavailable");
    assert_eq!(refused.header("Retry-After"), Some("5"));
    let source = agent.message(&before["message_id"], "/raw");
    let download = || HttpRequest::new("GET", &source).header("Accept", "message/rfc822");
    reader.call(download()).await.require_error(503, "service_unavailable");
    reader.call(download().header("Range", "bytes=9000000-")).await.require_error(416, "range_not_satisfiable");
    reader.get(&agent.message(&before["message_id"], "")).await.ok();
    files::put(&server, &created, &content(100_000)).await.require_error(503, "service_unavailable");
    let encoded = base64(&content(100_000));
    let body = json!({"attachments": [{"filename": "b.bin", "content": encoded}]});
    agent.post(&agent.inbox("/drafts"), body).await.require_error(503, "service_unavailable");

    std::fs::rename(&away, &here).unwrap();
    assert_eq!(raw(&agent, &before["message_id"]).await.status, 200);
    files::put(&server, &created, &content(100_000)).await.ok();
    let (code, text) = deliver_large(&server, &agent, "during").await;
    assert_eq!(code, 250, "{text}");
    assert_eq!(objects(&here).len(), 3);
    let read = eventually("the first read is recorded", async || {
        let trace = agent.get(&agent.inbox("/trace?limit=200")).await.ok();
        let is_read = |entry: &&Value| entry["kind"] == "message.read" && entry["actor"]["name"] == "reader";
        trace["trace"].as_array().unwrap().iter().find(is_read).cloned()
    })
    .await;
    assert_eq!(read["detail"], json!({"part": "message"}), "the failed downloads are no reads");
}

#[tokio::test]
async fn bucket_that_hangs_holds_up_nothing_else() {
    // Connections are established, and no request gets a response.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let limit = Duration::from_secs(4);
    let server = options()
        .set("INBOXD_BLOBS", "s3://mail/inboxd")
        .set("INBOXD_BLOB_TIMEOUT", format!("{}s", limit.as_secs()))
        .set("AWS_ENDPOINT_URL_S3", format!("http://{}", silent.local_addr().unwrap()))
        .set("AWS_ALLOW_HTTP", "true")
        .set("AWS_ACCESS_KEY_ID", "id")
        .set("AWS_SECRET_ACCESS_KEY", "secret")
        .start()
        .await;
    let agent = server.verified("owner@example.org", "scout").await;
    eventually("a request ends without a response", async || {
        let start = Instant::now();
        assert_eq!(deliver_large(&server, &agent, "first").await.0, 451);
        (start.elapsed() >= limit).then_some(())
    })
    .await;
    let start = Instant::now();
    assert_eq!(deliver_large(&server, &agent, "second").await.0, 451);
    assert!(start.elapsed() < limit, "{:?}", start.elapsed());
    let start = Instant::now();
    receive(&server, &agent, &mail_to(&agent, "small")).await;
    let small = agent.message_about("small").await;
    assert_eq!(raw(&agent, &small["message_id"]).await.status, 200);
    assert!(start.elapsed() < limit, "{:?}", start.elapsed());
}

#[tokio::test]
async fn lost_or_changed_object_is_named_in_the_log_and_never_returned() {
    let (folder, server, agent) = server_with_folder().await;
    receive(&server, &agent, &large_mail(&agent, "changed")).await;
    let [changed] = objects(folder.path()).try_into().unwrap();
    receive(&server, &agent, &large_mail(&agent, "lost")).await;
    let lost = objects(folder.path()).into_iter().find(|object| *object != changed).unwrap();
    std::fs::remove_file(&lost).unwrap();
    let mut bytes = std::fs::read(&changed).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&changed, bytes).unwrap();
    for (subject, object) in [("changed", changed), ("lost", lost)] {
        let message = agent.message_about(subject).await;
        raw(&agent, &message["message_id"]).await.require_error(500, "content_lost");
        let name = object.file_name().unwrap().to_str().unwrap();
        let is_loss = |entry: &Value| entry["message"] == "stored object not read" && entry.to_string().contains(name);
        server.log().entry("the log names the object", is_loss).await;
    }
    receive(&server, &agent, &large_mail(&agent, "whole")).await;
    let moved = server.command(&["admin", "blobs", "move", "--to-database"]).await;
    let (output, error) = (String::from_utf8_lossy(&moved.stdout), String::from_utf8_lossy(&moved.stderr));
    assert_eq!(moved.status.code(), Some(1), "{output} {error}");
    assert!(output.contains("moved 1 contents") && output.matches("lost: ").count() == 2, "{output}");
    assert!(error.contains("2 contents are lost"), "{error}");
}

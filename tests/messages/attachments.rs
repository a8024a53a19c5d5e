//! `GET …/messages/{message_id}/attachments/{attachment_id}`.

use inboxd_testkit::{HttpRequest, redacted};
use insta::assert_snapshot;

use crate::support::{mail_to, receive, server_and_agent};

#[tokio::test]
async fn attachment_is_described_linked_and_downloaded() {
    let (server, agent) = server_and_agent().await;
    let content: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    receive(&server, &agent, &mail_to(&agent, "files").attach("Größe 1.bin", "application/x-thing", &content)).await;
    let message = agent.message_about("files").await;
    let id = message["attachments"][0]["attachment_id"].as_str().unwrap();
    let path = agent.message(&message["message_id"], &format!("/attachments/{id}"));
    let described = agent.get(&path).await.ok();
    assert_snapshot!(redacted(&described), @r#"
    {
      "attachment_id": "[att_…]",
      "content_disposition": "attachment",
      "content_type": "application/x-thing",
      "download_url": "[base_url][signed]",
      "expires_at": "[time]",
      "filename": "Größe 1.bin",
      "size": 100000
    }
    "#);

    let link = described["download_url"].as_str().unwrap().strip_prefix(&server.base_url()).unwrap();
    let downloaded = server.http().get(link).await;
    assert_eq!(downloaded.status, 200);
    assert_eq!(downloaded.body, content);
    // A browser must not execute content from strangers.
    assert!(downloaded.header("Content-Disposition").unwrap().starts_with("attachment"), "{downloaded:?}");
    assert_eq!(downloaded.header("X-Content-Type-Options"), Some("nosniff"));

    let wanted = HttpRequest::new("GET", &path).header("Accept", "application/octet-stream");
    assert_eq!(agent.call(wanted).await.body, content);
    let thread = agent.thread(&message["thread_id"], &format!("/attachments/{id}"));
    assert_eq!(agent.get(&thread).await.ok()["attachment_id"], described["attachment_id"]);
}

#[tokio::test]
async fn attachment_of_other_message_is_not_found() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "with").attach("a.txt", "text/plain", b"a")).await;
    receive(&server, &agent, &mail_to(&agent, "without")).await;
    let (with, without) = (agent.message_about("with").await, agent.message_about("without").await);
    let id = with["attachments"][0]["attachment_id"].as_str().unwrap();
    for id in [id, "att_00000000000000000000000000000000", "nonsense"] {
        let path = agent.message(&without["message_id"], &format!("/attachments/{id}"));
        agent.get(&path).await.require_error(404, "not_found");
    }
}

//! Reading and writing mail.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use inboxd_testkit::MailBuilder;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::program::CliUser;
use crate::support::{mail_to, receive, server, server_and_agent};

#[tokio::test]
async fn agent_signs_up_reads_and_replies() {
    let server = server().await;
    let user = CliUser::at(&server);
    let signed_up = user.run(&["sign-up", "owner@example.org", "scout", "--json"]).await.json();
    let inbox = signed_up["inbox_id"].as_str().unwrap();
    let code = server.log().code_for("owner@example.org").await;
    let verified = user.run(&["agent", "verify", "--otp-code", &code, "--json"]).await.json();
    assert_eq!(verified["verified"], true);

    let mail = MailBuilder::new("Grace <grace@example.net>", inbox, "Lunch?", "Shall we meet at noon?");
    assert_eq!(server.deliver("grace@example.net", &[inbox], mail.raw()).await.code, 250);
    let listed = user.run(&["messages", "list"]).await.ok();
    assert!(listed.starts_with("WHEN") && listed.contains("Grace <grace@example.net>  Lunch?"), "{listed}");

    let waited = user.run(&["messages", "wait", "--after", "2020-01-01T00:00:00Z", "--json"]).await.json();
    let message = waited["message"]["message_id"].as_str().unwrap();
    let shown = user.run(&["messages", "get", message]).await.ok();
    assert!(shown.contains("From:        Grace") && shown.ends_with("\n\nShall we meet at noon?\n"), "{shown}");

    let replied = user.run(&["messages", "reply", message, "--text", "Noon it is.", "--json"]).await.json();
    let thread = replied["thread_id"].as_str().unwrap();
    let thread = user.run(&["threads", "get", thread]).await.ok();
    assert!(thread.contains("Shall we meet at noon?") && thread.contains("Noon it is."), "{thread}");
}

#[tokio::test]
async fn file_is_uploaded_and_attached_by_its_id() {
    let (server, agent) = server_and_agent().await;
    let user = CliUser::acting_as(&server, &agent);
    std::fs::write(user.file("notes.bin"), [0xff, b'!']).unwrap();
    let sha256 = BASE64_STANDARD.encode(Sha256::digest([0xff, b'!']));
    let create = ["files", "create", "--path", "notes.bin", "--size", "2", "--sha256", &sha256, "--json"];
    let created = user.run(&create).await.json();
    let token = created["upload"]["url"].as_str().unwrap().rsplit('/').next().unwrap();
    let put = ["uploads", "put", token, "--file", "notes.bin"];
    let shown = user.run(&[&put[..], &["--dry-run"]].concat()).await.ok();
    assert!(shown.contains("content-type: application/octet-stream") && shown.ends_with("2 bytes\n"), "{shown}");
    user.run(&put).await.ok();
    let file_id = created["file_id"].as_str().unwrap();
    assert_eq!(user.run(&["files", "complete", file_id, "--json"]).await.json()["status"], "ready");
    let attachment = json!({"file_id": file_id}).to_string();
    let arguments =
        ["messages", "send", "--to", &agent.inbox_id, "--text", "x", "--attachments", &attachment, "--json"];
    let sent = user.run(&arguments).await.json();
    let message = user.run(&["messages", "get", sent["message_id"].as_str().unwrap(), "--json"]).await.json();
    assert_eq!(message["attachments"][0]["filename"], "notes.bin");
    assert!(user.run(&["uploads", "put", token]).await.failed(2).contains("--file"));
}

#[tokio::test]
async fn attachments_and_raw_mail_are_sent_and_saved() {
    let (server, agent) = server_and_agent().await;
    let user = CliUser::acting_as(&server, &agent);
    std::fs::write(user.file("notes.txt"), "buy milk").unwrap();
    let arguments = ["messages", "send", "--to", &agent.inbox_id, "--to", "\"Doe, Jane\" <jane@example.org>"];
    let arguments =
        [&arguments[..], &["--subject", "Notes", "--text-file", "-", "--attach", "notes.txt", "--json"]].concat();
    let sent = user.run_with_input(&arguments, "See the file.\n").await.json();
    let message = user.run(&["messages", "get", sent["message_id"].as_str().unwrap(), "--json"]).await.json();
    assert_eq!(message["to"], json!([agent.inbox_id, "Doe, Jane <jane@example.org>"]));
    let attachment = &message["attachments"][0];
    assert_eq!((&attachment["filename"], &attachment["content_type"]), (&json!("notes.txt"), &json!("text/plain")));

    let (message, attachment) =
        (message["message_id"].as_str().unwrap(), attachment["attachment_id"].as_str().unwrap());
    user.run(&["messages", "attachment", message, attachment, "--output", "copy.txt"]).await.ok();
    assert_eq!(std::fs::read_to_string(user.file("copy.txt")).unwrap(), "buy milk");
    assert_eq!(user.run(&["messages", "attachment", message, attachment]).await.ok(), "buy milk");
    let raw = user.run(&["messages", "raw", message]).await.ok();
    assert!(raw.contains("Subject: Notes\r\n"), "{raw}");
    let link = user.run(&["messages", "raw", message, "--json"]).await.json();
    assert!(link["download_url"].as_str().unwrap().starts_with("http"), "{link}");
}

#[tokio::test]
async fn drafts_are_written_and_sent() {
    let (server, agent) = server_and_agent().await;
    let user = CliUser::acting_as(&server, &agent);
    let create = ["drafts", "create", "--to", "jane@example.org", "--subject", "Plan", "--text", "Later.", "--json"];
    let draft = user.run(&create).await.json();
    let id = draft["draft_id"].as_str().unwrap();
    assert!(user.run(&["drafts"]).await.ok().contains("Plan"));
    user.run(&["drafts", "update", id, "--subject", "Better plan"]).await.ok();
    let sent = user.run(&["drafts", "send", id, "--json"]).await.json();
    let message = user.run(&["messages", "get", sent["message_id"].as_str().unwrap()]).await.ok();
    assert!(message.contains("Subject:     Better plan"), "{message}");
    user.run(&["drafts", "get", id]).await.failed(4);
}

#[tokio::test]
async fn search_and_labels_narrow_lists() {
    let (server, agent) = server_and_agent().await;
    let user = CliUser::acting_as(&server, &agent);
    for subject in ["Apples", "Pears"] {
        receive(&server, &agent, &mail_to(&agent, subject)).await;
    }
    let found = user.run(&["messages", "search", "pears", "--json"]).await.json();
    assert_eq!(found["subject"], "Pears");
    let id = found["message_id"].as_str().unwrap();
    user.run(&["messages", "update", id, "--add-labels", "fruit,seen", "--remove-labels", "unread"]).await.ok();
    let labelled = user.run(&["threads", "list", "--labels", "fruit", "--json"]).await.json();
    assert_eq!(labelled["subject"], "Pears");
    let thread = labelled["thread_id"].as_str().unwrap();
    user.run(&["threads", "update", thread, "--assignee-id", "null"]).await.ok();
    assert_eq!(user.run(&["messages", "delete", id]).await.ok(), "Deleted\n");
}

#[tokio::test]
async fn dry_run_sends_nothing() {
    let (server, agent) = server_and_agent().await;
    let user = CliUser::acting_as(&server, &agent);
    let send =
        ["messages", "send", "--inbox", &agent.inbox_id, "--to", "jane@example.org", "--text", "Hi", "--dry-run"];
    // The server returns the result of the send.
    let shown = user.run(&[&send[..], &["--json"]].concat()).await.json();
    assert_eq!((&shown["result"], &shown["message"]["text"]), (&json!("send"), &json!("Hi")), "{shown}");
    let create =
        ["drafts", "create", "--inbox", &agent.inbox_id, "--to", "jane@example.org", "--text", "Hi", "--dry-run"];
    let shown = user.run(&create).await.ok();
    assert!(shown.starts_with(&format!("POST {}/v0/inboxes/{}", server.base_url(), agent.inbox_id)), "{shown}");
    assert!(shown.contains("\"text\": \"Hi\"") && !shown.contains(&agent.key), "{shown}");
    // Without an inbox it would have to ask the server.
    let unnamed = ["drafts", "create", "--to", "jane@example.org", "--text", "Hi", "--dry-run"];
    assert!(user.run(&unnamed).await.failed(2).contains("--inbox"));
    user.run(&["sign-up", "new@example.org", "second", "--dry-run"]).await.ok();
    user.run(&["api", "POST", "/v0/inboxes", "--field", "username=second", "--dry-run"]).await.ok();
    assert_eq!(agent.messages().await.len(), 0);
    assert_eq!(agent.get("/v0/inboxes").await.ok()["count"], 1);
    assert!(!user.profiles().exists());
}

#[tokio::test]
async fn inbox_is_named_where_there_are_several() {
    let (server, agent) = server_and_agent().await;
    let user = CliUser::acting_as(&server, &agent);
    assert_eq!(user.run(&["messages", "list"]).await.ok(), "no messages\n");
    let second = user.run(&["inboxes", "create", "--username", "second", "--json"]).await.json();
    let second = second["inbox_id"].as_str().unwrap();
    let refused = user.run(&["messages", "list"]).await.failed(2);
    assert!(refused.contains(second) && refused.contains("--inbox"), "{refused}");
    user.run(&["messages", "list", "--inbox", second]).await.ok();
    CliUser::acting_as(&server, &agent).set("INBOXD_INBOX", second).run(&["messages", "list"]).await.ok();
}

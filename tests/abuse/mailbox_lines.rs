//! Mail with the `From ` line of a mailbox file before its header: the server stores the message without it.

use std::fs;
use std::path::{Path, PathBuf};

use inboxd_testkit::{HttpRequest, Persona};
use serde_json::Value;

use crate::support::{mail_to, server_and_agent};

const FROM: &str = "alice@outside.example";
/// Mails of the collection of which one is delivered, besides all mails with attachments.
const OTHER_MAILS: usize = 5;
const ENVELOPE_LINE: &str = "From a@b.example Mon Nov 23 10:00:00 2026\r\n";

/// Downloads all attachments of a message, compares their sizes with the list, and returns their number.
async fn download_attachments(agent: &Persona, message: &Value) -> usize {
    let attachments = message["attachments"].as_array().cloned().unwrap_or_default();
    for attachment in &attachments {
        let id = attachment["attachment_id"].as_str().unwrap();
        let path = agent.message(&message["message_id"], &format!("/attachments/{id}"));
        let downloaded = agent.call(HttpRequest::new("GET", &path).header("Accept", "application/octet-stream")).await;
        assert_eq!(downloaded.status, 200, "{message:#}");
        assert_eq!(downloaded.body.len() as u64, attachment["size"].as_u64().unwrap(), "{message:#}");
    }
    attachments.len()
}

#[tokio::test]
async fn mail_with_mailbox_line_has_header_and_attachments() {
    let (server, agent) = server_and_agent().await;
    let forged = format!("Authentication-Results: inboxd.localhost; none\r\n{ENVELOPE_LINE}");
    for (number, top) in [ENVELOPE_LINE, "\r\n \r\n", ">From x\r\n\r\n", " ", &forged].iter().enumerate() {
        let subject = format!("statement {number}");
        let mail = mail_to(&agent, &subject).attach("a.txt", "text/plain", b"the attachment").raw();
        server.deliver(FROM, &[&agent.inbox_id], [top.as_bytes(), &mail].concat()).await.require_code(250, "2");
        let message = agent.message_about(&subject).await;
        assert_eq!(download_attachments(&agent, &message).await, 1, "{top:?}");
        let whole = agent.get(&agent.message(&message["message_id"], "")).await.ok();
        assert_eq!(whole["to"][0], agent.inbox_id.as_str(), "{top:?}");
        let raw = agent.call(HttpRequest::new("GET", &agent.message(&message["message_id"], "/raw"))).await;
        let raw = String::from_utf8_lossy(&raw.body).into_owned();
        assert!(!raw.starts_with("From ") && !raw.contains("\nFrom "), "{raw}");
    }
}

/// Returns the mail files below a folder.
fn collect_mails(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect_mails(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "eml") {
            found.push(path);
        }
    }
}

#[tokio::test]
async fn collection_with_mailbox_lines_is_stored_with_attachments() {
    let (server, agent) = server_and_agent().await;
    let mut paths = Vec::new();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    collect_mails(&crates.join("mail/collection"), &mut paths);
    collect_mails(&crates.join("fuzz-support/corpus"), &mut paths);
    paths.sort();
    let mut number = 0_usize;
    paths.retain(|path| {
        number += 1;
        number.is_multiple_of(OTHER_MAILS) || String::from_utf8_lossy(&fs::read(path).unwrap()).contains("filename")
    });
    let mut client = server.smtp().await;
    client.ehlo().await;
    let mut stored = 0;
    for path in &paths {
        let text: Vec<u8> = fs::read(path).unwrap().into_iter().filter(|byte| *byte != b'\r').collect();
        let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
        let mail = [ENVELOPE_LINE.as_bytes(), &lines.join(&b"\r\n"[..]), b"\r\n"].concat();
        let reply = client.deliver(FROM, &[&agent.inbox_id], &mail).await;
        // A mail with the trace of a loop is refused.
        assert!(reply.code == 250 || reply.code == 554, "{}: {reply:?}", path.display());
        stored += usize::from(reply.code == 250);
    }
    assert!(stored * 10 > paths.len() * 9, "{stored} of {}", paths.len());
    let (mut listed, mut attachments, mut token) = (0, 0, None::<String>);
    loop {
        let after = token.map(|token| format!("&page_token={token}")).unwrap_or_default();
        let path = agent.inbox(&format!("/messages?limit=100&include_spam=true&include_unauthenticated=true{after}"));
        let page = agent.get(&path).await.ok();
        for message in page["messages"].as_array().unwrap() {
            attachments += download_attachments(&agent, message).await;
            listed += 1;
        }
        token = page["next_page_token"].as_str().map(str::to_owned);
        if token.is_none() {
            break;
        }
    }
    assert!(listed * 10 > stored * 9, "{listed} of {stored} stored messages are listed");
    assert!(attachments > 10, "{attachments} attachments were downloaded");
}

//! Mail parsing as the API shows it.

mod findings;
mod raw;

use inboxd_testkit::{Persona, TestServer};
use serde_json::Value;

/// Delivers a mail with CRLF line ends and returns the complete message.
async fn deliver_and_read(server: &TestServer, agent: &Persona, raw: &[u8]) -> Value {
    let raw = to_crlf(raw);
    server.deliver("anna@outside.example", &[&agent.inbox_id], &raw).await.require_code(250, "2.0.0");
    let list = agent.get(&agent.inbox("/messages?include_spam=true&include_unauthenticated=true&limit=1")).await.ok();
    agent.get(&agent.message(&list["messages"][0]["message_id"], "")).await.ok()
}

/// Converts each LF to CRLF.
fn to_crlf(raw: &[u8]) -> Vec<u8> {
    raw.split(|b| *b == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .collect::<Vec<_>>()
        .join(&b"\r\n"[..])
}

/// Reads a mail of the collection.
fn collection_mail(path: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../mail/collection/");
    std::fs::read(format!("{folder}{path}")).unwrap()
}

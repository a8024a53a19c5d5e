//! What the API says a mail says.

mod findings;
mod octets;

use inboxd_testkit::{Persona, Server};
use serde_json::Value;

/// Delivers a mail, its lines ended as SMTP wants them, and answers the message it made, whole.
async fn read(server: &Server, agent: &Persona, raw: &[u8]) -> Value {
    let raw = lines(raw);
    server.deliver("anna@outside.example", &[&agent.inbox_id], &raw).await.is(250, "2.0.0");
    let list = agent.get(&agent.inbox("/messages?include_spam=true&include_unauthenticated=true&limit=1")).await.ok();
    agent.get(&agent.message(&list["messages"][0]["message_id"], "")).await.ok()
}

/// The octets with each LF made CRLF.
fn lines(raw: &[u8]) -> Vec<u8> {
    raw.split(|b| *b == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .collect::<Vec<_>>()
        .join(&b"\r\n"[..])
}

/// A mail of the collection.
fn collected(path: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../mail/collection/");
    std::fs::read(format!("{folder}{path}")).unwrap()
}

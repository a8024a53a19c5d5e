//! Who vouches for a mail, with a DNS server of the tests' own and signatures by an implementation that is not ours.

mod dkimpy;
mod forged;
mod received;
mod signed;
mod silence;

use inboxd_testkit::{Dns, Persona, Server};
use serde_json::Value;

use crate::support::options;

/// A server that asks a DNS server which knows no name, and a verified agent.
async fn server_with_dns() -> (Dns, Server, Persona) {
    let dns = Dns::start().await;
    let server = options().dns(&dns).start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    (dns, server, agent)
}

/// Delivers a mail about a subject and answers it as the API shows it, however it was judged.
async fn received(server: &Server, agent: &Persona, envelope: &str, raw: &[u8], subject: &str) -> Value {
    let reply = server.deliver(envelope, &[&agent.inbox_id], raw).await;
    assert_eq!(reply.code, 250, "{reply:?}");
    let all = "/messages?include_unauthenticated=true&include_spam=true&limit=200";
    let list = agent.get(&agent.inbox(all)).await.ok();
    let messages = list["messages"].as_array().unwrap();
    let item = messages.iter().find(|message| message["subject"] == subject).unwrap();
    agent.get(&agent.message(&item["message_id"], "")).await.ok()
}

/// The values of a header field of a stored mail, unfolded.
async fn fields(agent: &Persona, message: &Value, name: &str) -> Vec<String> {
    let wanted = inboxd_testkit::Request::new("GET", &agent.message(&message["message_id"], "/raw"));
    let raw = agent.call(wanted.header("Accept", "message/rfc822")).await;
    inboxd_mail::header_values(&raw.body, name)
}

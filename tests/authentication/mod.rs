//! Authentication of inbound mail, with a test DNS server and signatures of another implementation.

pub(crate) mod dkimpy;
mod dns_outage;
mod forged;
mod received;
mod signed;

use inboxd_testkit::{DnsServer, Persona, TestServer};
use serde_json::Value;

use crate::support::options;

/// A server with an empty DNS server, and a verified agent.
async fn server_with_dns() -> (DnsServer, TestServer, Persona) {
    let dns = DnsServer::start().await;
    let server = options().dns(&dns).start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    (dns, server, agent)
}

/// Delivers a mail with a subject and returns it as the API shows it, with any verdict.
async fn deliver_and_read(server: &TestServer, agent: &Persona, envelope: &str, raw: &[u8], subject: &str) -> Value {
    let reply = server.deliver(envelope, &[&agent.inbox_id], raw).await;
    assert_eq!(reply.code, 250, "{reply:?}");
    let all = "/messages?include_unauthenticated=true&include_spam=true&limit=200";
    let list = agent.get(&agent.inbox(all)).await.ok();
    let messages = list["messages"].as_array().unwrap();
    let item = messages.iter().find(|message| message["subject"] == subject).unwrap();
    agent.get(&agent.message(&item["message_id"], "")).await.ok()
}

/// Returns the values of a header field of a stored mail, unfolded.
async fn header_values(agent: &Persona, message: &Value, name: &str) -> Vec<String> {
    let wanted = inboxd_testkit::HttpRequest::new("GET", &agent.message(&message["message_id"], "/raw"));
    let raw = agent.call(wanted.header("Accept", "message/rfc822")).await;
    inboxd_mail::header_values(&raw.body, name)
}

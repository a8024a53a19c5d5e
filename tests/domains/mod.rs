//! `/v0/domains`, with a DNS server of the tests' own.

mod create;
mod delete;
mod inbound;
mod inboxes;
mod limit;
mod list;
mod mail;
mod people;
mod update;
mod verify;
mod zone_file;

use inboxd_testkit::{Dns, Http, Persona, Relay, Request, Server};
use serde_json::{Value, json};

use crate::sending::relayed_by;
use crate::support::{options, set_plan};

/// A server that asks a DNS server which knows no name, and a verified agent.
async fn server_with_dns() -> (Dns, Server, Persona) {
    let dns = Dns::start().await;
    let server = options().dns(&dns).start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    (dns, server, agent)
}

/// The same, with a server that hands its mail to a relay.
pub(crate) async fn relayed_with_dns() -> (Dns, Relay, Server, Persona) {
    let dns = Dns::start().await;
    let (relay, server, agent) = relayed_by(options().dns(&dns)).await;
    (dns, relay, server, agent)
}

/// Adds a domain.
async fn add(agent: &Http, name: &str) -> Value {
    agent.post("/v0/domains", json!({"domain": name})).await.ok()
}

/// The path of a domain.
pub(crate) fn path(domain: &Value, rest: &str) -> String {
    format!("/v0/domains/{}{rest}", domain["domain_id"].as_str().unwrap())
}

/// Verifies a domain, with a body-less POST as the clients send it.
pub(crate) async fn verify(agent: &Http, domain: &Value) -> Value {
    agent.call(Request::new("POST", &path(domain, "/verify"))).await.ok()
}

/// Adds a domain, publishes its records and verifies it.
pub(crate) async fn add_verified(dns: &Dns, agent: &Http, name: &str) -> Value {
    let domain = add(agent, name).await;
    dns.publish_all(&domain);
    let verified = verify(agent, &domain).await;
    assert_eq!(verified["status"], "VERIFIED", "{verified:#}");
    verified
}

/// Lifts the caps of an organization.
pub(crate) async fn enterprise(server: &Server, agent: &Persona) {
    set_plan(server, agent, "enterprise").await;
}

/// The record of a domain at a name and of a type.
pub(crate) fn record<'a>(domain: &'a Value, kind: &str, name: &str) -> &'a Value {
    let records = domain["records"].as_array().unwrap();
    let found = records.iter().find(|record| record["type"] == kind && record["name"] == name);
    found.unwrap_or_else(|| panic!("no {kind} record at {name}: {domain:#}"))
}

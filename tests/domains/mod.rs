//! `/v0/domains`, with a test DNS server.

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

use inboxd_testkit::{DnsServer, HttpClient, HttpRequest, Persona, RelayServer, TestServer};
use serde_json::{Value, json};

use crate::sending::server_with_relay_and_options;
use crate::support::{options, set_plan};

/// A server with an empty DNS server, and a verified agent.
async fn server_with_dns() -> (DnsServer, TestServer, Persona) {
    let dns = DnsServer::start().await;
    let server = options().dns(&dns).start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    (dns, server, agent)
}

/// The same with delivery through a relay.
pub(crate) async fn relay_with_dns() -> (DnsServer, RelayServer, TestServer, Persona) {
    let dns = DnsServer::start().await;
    let (relay, server, agent) = server_with_relay_and_options(options().dns(&dns)).await;
    (dns, relay, server, agent)
}

/// Adds a domain.
async fn add_domain(agent: &HttpClient, name: &str) -> Value {
    agent.post("/v0/domains", json!({"domain": name})).await.ok()
}

/// Returns the path of a domain.
pub(crate) fn domain_path(domain: &Value, rest: &str) -> String {
    format!("/v0/domains/{}{rest}", domain["domain_id"].as_str().unwrap())
}

/// Verifies a domain with a POST without a body, as clients send it.
pub(crate) async fn verify_domain(agent: &HttpClient, domain: &Value) -> Value {
    agent.call(HttpRequest::new("POST", &domain_path(domain, "/verify"))).await.ok()
}

/// Adds a domain, publishes its records and verifies it.
pub(crate) async fn add_verified(dns: &DnsServer, agent: &HttpClient, name: &str) -> Value {
    let domain = add_domain(agent, name).await;
    dns.publish_all(&domain);
    let verified = verify_domain(agent, &domain).await;
    assert_eq!(verified["status"], "VERIFIED", "{verified:#}");
    verified
}

/// Lifts the caps of an organization.
pub(crate) async fn lift_caps(server: &TestServer, agent: &Persona) {
    set_plan(server, agent, "enterprise").await;
}

/// Returns the record of a domain with a name and a type.
pub(crate) fn find_record<'a>(domain: &'a Value, kind: &str, name: &str) -> &'a Value {
    let records = domain["records"].as_array().unwrap();
    let found = records.iter().find(|record| record["type"] == kind && record["name"] == name);
    found.unwrap_or_else(|| panic!("no {kind} record at {name}: {domain:#}"))
}

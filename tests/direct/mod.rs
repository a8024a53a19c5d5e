//! Direct delivery to the servers of recipients, with a DNS server and SMTP servers of the test.

mod dane;
mod delay_notices;
mod destinations;
mod postfix;
mod refusals;
mod retries;
mod sts;
mod tls_levels;

use std::net::IpAddr;

use inboxd_testkit::{DnsServer, Persona, RelayServer, ServerOptions, TestServer};

use crate::support::options;

/// A server with direct delivery, a verified agent, and destination servers on loopback addresses. The first one serves
/// `example.org`.
pub(crate) struct DirectDelivery {
    pub(crate) dns: DnsServer,
    pub(crate) hosts: Vec<RelayServer>,
    pub(crate) server: TestServer,
    pub(crate) agent: Persona,
}

pub(crate) fn loopback_address(number: u8) -> IpAddr {
    IpAddr::from([127, 0, 0, number])
}

/// Adds the host of this number, from 1, to the MX hosts of a domain.
pub(crate) fn serve_domain(dns: &DnsServer, domain: &str, preference: u16, number: u8) {
    let host = format!("mx{number}.{domain}");
    dns.mx(domain, preference, &host);
    dns.host(&host, loopback_address(number));
}

/// Options of a server that may deliver to loopback addresses.
pub(crate) fn direct_options(dns: &DnsServer, port: u16) -> ServerOptions {
    options()
        .set("INBOXD_DELIVERY", "direct")
        .set("INBOXD_DIRECT_PORT", port.to_string())
        .set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.0/8")
        .dns(dns)
}

pub(crate) async fn start_direct_delivery(hosts: u8) -> DirectDelivery {
    let (dns, hosts) = (DnsServer::start().await, RelayServer::start_many(hosts).await);
    serve_domain(&dns, "example.org", 10, 1);
    let server = direct_options(&dns, hosts[0].port()).start().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    agent.verify_with(&hosts[0].code_for("owner@example.org").await).await;
    DirectDelivery { dns, hosts, server, agent }
}

/// Returns the ids of the queued mails that match a condition.
pub(crate) async fn queued_mails(server: &TestServer, condition: &str) -> Vec<String> {
    let sql = format!("SELECT outgoing_id::text AS text FROM outgoing WHERE {condition}");
    server.database().session().await.texts(&sql).await
}

//! Mail that leaves for the servers of its recipients, with a DNS server and servers of the test's making.

mod destinations;
mod late;
mod postfix;
mod refusals;
mod retries;
mod sts;

use std::net::IpAddr;

use inboxd_testkit::{Dns, Persona, Relay, Server, ServerOptions};

use crate::support::options;

/// A server that delivers directly, a verified agent, and the servers of domains on addresses of this machine. The first of
/// them serves `example.org`.
pub(crate) struct World {
    pub(crate) dns: Dns,
    pub(crate) hosts: Vec<Relay>,
    pub(crate) server: Server,
    pub(crate) agent: Persona,
}

pub(crate) fn at(number: u8) -> IpAddr {
    IpAddr::from([127, 0, 0, number])
}

/// Makes the host of this number, from 1, the next to serve a domain.
pub(crate) fn serve(dns: &Dns, domain: &str, preference: u16, number: u8) {
    let host = format!("mx{number}.{domain}");
    dns.mx(domain, preference, &host);
    dns.host(&host, at(number));
}

/// What a server is started with that may deliver to addresses of this machine.
pub(crate) fn directly(dns: &Dns, port: u16) -> ServerOptions {
    options()
        .set("INBOXD_DELIVERY", "direct")
        .set("INBOXD_DIRECT_PORT", port.to_string())
        .set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.0/8")
        .dns(dns)
}

pub(crate) async fn world(hosts: u8) -> World {
    let (dns, hosts) = (Dns::start().await, Relay::several(hosts).await);
    serve(&dns, "example.org", 10, 1);
    let server = directly(&dns, hosts[0].port()).start().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    agent.verify_with(&hosts[0].code_for("owner@example.org").await).await;
    World { dns, hosts, server, agent }
}

/// The ids of the queued mails of which this holds.
pub(crate) async fn queued(server: &Server, condition: &str) -> Vec<String> {
    let sql = format!("SELECT outgoing_id::text AS text FROM outgoing WHERE {condition}");
    server.database().session().await.texts(&sql).await
}

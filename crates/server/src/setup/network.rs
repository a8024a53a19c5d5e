//! Addresses of this machine, and its way to the mail servers of others.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, TcpListener, UdpSocket};

use inboxd_core::ports::{Dns as _, Lookup};
use inboxd_outbound::is_public;
use inboxd_smtp::dns::DnsResolver;

use crate::config::{Config, Delivery};
use crate::doctor::{Finding, ports};

/// Number of mail servers that are tried.
const MAX_HOSTS: usize = 3;

/// Returns the public addresses from which this machine reaches the internet. Behind NAT it has none.
pub(super) fn own_addresses() -> Vec<IpAddr> {
    // Connecting a UDP socket sends nothing, but chooses the source address. The targets are for documentation
    // (RFC 5737, RFC 3849).
    let source = |bound: IpAddr, target: IpAddr| {
        let socket = UdpSocket::bind((bound, 0)).ok()?;
        socket.connect((target, 9)).ok()?;
        Some(socket.local_addr().ok()?.ip())
    };
    let four = source(Ipv4Addr::UNSPECIFIED.into(), Ipv4Addr::new(192, 0, 2, 1).into());
    let six = source(Ipv6Addr::UNSPECIFIED.into(), Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1).into());
    [four, six].into_iter().flatten().filter(|address| is_public(*address)).collect()
}

/// Returns whether this machine can listen on IPv6.
pub(super) fn has_ipv6() -> bool {
    TcpListener::bind((Ipv6Addr::UNSPECIFIED, 0)).is_ok()
}

/// Checks that a mail server of a domain can be reached; `None` unless mail leaves directly.
pub(super) async fn outbound(config: &Config, resolver: &DnsResolver, domain: Option<&str>) -> Option<Finding> {
    const CHECK: &str = "port 25";
    let Delivery::Direct { port } = config.delivery else { return None };
    let Some(domain) = domain else {
        let found = "is not tried: no mail server of another provider is known";
        return Some(Finding::warn(CHECK, found, "repeat with --mail-to and an address at another provider"));
    };
    let hosts: Vec<String> = match resolver.mx(domain).await {
        Lookup::Found(mut hosts) => {
            hosts.sort_by_key(|mx| mx.preference);
            hosts.into_iter().map(|mx| mx.host).filter(|host| !host.is_empty()).take(MAX_HOSTS).collect()
        }
        Lookup::Absent => vec![domain.to_owned()],
        Lookup::Failed(why) => {
            let mend = "repeat; if the error persists, choose an address of another domain for --mail-to";
            return Some(Finding::warn(CHECK, format!("the mail servers of {domain}: {why}"), mend));
        }
    };
    let mut failure = format!("no mail server of {domain} has an address");
    for host in hosts {
        let Lookup::Found(addresses) = resolver.addresses(&host).await else { continue };
        for address in addresses.into_iter().take(MAX_HOSTS) {
            match ports::smtp_greeting((address, port).into()).await {
                Some(reply) if reply.starts_with("220") => {
                    return Some(Finding::ok(CHECK, format!("{host}, {address}, answers this machine at port {port}")));
                }
                Some(reply) if !reply.is_empty() => {
                    let line = reply.lines().next().unwrap_or_default();
                    failure = format!("{host}, {address}, refuses this machine: {line}");
                }
                _ => failure = format!("{host}, {address}, does not answer this machine at port {port}"),
            }
        }
    }
    let mend =
        "let the provider of this machine open outgoing port 25, or set INBOXD_DELIVERY=relay and INBOXD_RELAY_URL";
    Some(Finding::fail(CHECK, failure, mend))
}

//! Client address of a request that trusted proxies forwarded: `X-Forwarded-For` and `Forwarded` (RFC 7239).
//!
//! Each proxy appends the address of its peer, so a field is true only from its right end up to the first address that
//! is no trusted proxy. Everything left of that address is text of the client.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, PoisonError, RwLock};

use super::cidr::Cidr;

/// Current networks of the proxies in front of the service, which clones share. Without networks no proxy is trusted.
#[derive(Debug, Clone, Default)]
pub struct TrustedProxies(Arc<RwLock<Arc<[Cidr]>>>);

impl TrustedProxies {
    /// Returns the proxies of these networks.
    #[must_use]
    pub fn new(networks: Vec<Cidr>) -> Self {
        Self(Arc::new(RwLock::new(networks.into())))
    }

    /// Replaces the networks in all clones by the current ones of `other`.
    pub fn replace(&self, other: &Self) {
        let networks = other.networks();
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = networks;
    }

    fn networks(&self) -> Arc<[Cidr]> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns whether no proxy is trusted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.networks().is_empty()
    }

    /// Returns whether the address belongs to a trusted proxy. An IPv4 address inside IPv6 counts as IPv4.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.networks().iter().any(|network| network.contains(address))
    }

    /// Returns the address of the client behind a peer, from the values of `X-Forwarded-For` and `Forwarded` in their
    /// order in the request.
    ///
    /// Fields of an untrusted peer are ignored. A proxy that sets one field may pass the other one on from its client.
    /// If both are present and name different clients, neither counts, and the result is the address of the peer.
    #[must_use]
    pub fn client(&self, peer: IpAddr, forwarded_for: &[&str], forwarded: &[&str]) -> IpAddr {
        let peer = peer.to_canonical();
        let from_forwarded_for = || self.walk(peer, forwarded_for, parse_node);
        let from_forwarded = || self.walk(peer, forwarded, parse_element);
        match (forwarded_for, forwarded) {
            ([], _) => from_forwarded(),
            (_, []) => from_forwarded_for(),
            _ => Some(from_forwarded_for()).filter(|client| *client == from_forwarded()).unwrap_or(peer),
        }
    }

    /// Follows a list from its right end over trusted addresses. The first other address is the client. A malformed
    /// entry ends the list, and then the proxy that reported it counts as the client.
    fn walk(&self, peer: IpAddr, values: &[&str], parse: fn(&str) -> Option<IpAddr>) -> IpAddr {
        let mut client = peer;
        // Quoted commas also separate: no valid address contains one, so only a malformed entry results.
        for entry in values.iter().rev().flat_map(|value| value.rsplit(',')) {
            if !self.contains(client) {
                break;
            }
            let Some(address) = parse(entry.trim_matches([' ', '\t'])) else { break };
            client = address.to_canonical();
        }
        client
    }
}

impl fmt::Display for TrustedProxies {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let networks: Vec<String> = self.networks().iter().map(Cidr::to_string).collect();
        formatter.write_str(&networks.join(", "))
    }
}

/// Parses an address with an optional port; with a port, IPv6 is in brackets (RFC 7239, section 6).
fn parse_node(text: &str) -> Option<IpAddr> {
    if let Ok(address) = text.parse::<IpAddr>() {
        return Some(address);
    }
    if let Ok(address) = text.parse::<SocketAddr>() {
        return Some(address.ip());
    }
    let bracketed = text.strip_prefix('[')?.strip_suffix(']')?;
    bracketed.parse().ok().map(IpAddr::V6)
}

/// Parses the `for` parameter of an element of `Forwarded`, which must be well-formed (RFC 7239, section 4).
fn parse_element(element: &str) -> Option<IpAddr> {
    let mut client = None;
    for pair in element.split(';') {
        let (name, value) = pair.split_once('=')?;
        let value = match value.strip_prefix('"') {
            Some(quoted) => quoted.strip_suffix('"').filter(|text| !text.contains(['"', '\\']))?,
            None => Some(value).filter(|token| token.bytes().all(is_token_byte))?,
        };
        if name.trim_matches([' ', '\t']).eq_ignore_ascii_case("for") && client.replace(parse_node(value)?).is_some() {
            return None;
        }
    }
    client
}

/// Returns whether a byte may occur in an unquoted value. A port needs a colon, which some proxies do not quote.
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~:".contains(&byte)
}

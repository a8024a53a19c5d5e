//! Destination on the Internet of mail for an address.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use inboxd_mail::EmailAddress;

/// Maximum length of a domain name in bytes (RFC 1035, section 2.3.4).
const MAX_DOMAIN_BYTES: usize = 253;

/// Domain part of an address in the form of the network. The same hosts serve addresses with equal destinations.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MailDestination {
    /// A domain in lower case, internationalized labels as A-labels (RFC 5890).
    Domain(String),
    /// One host by its address literal (RFC 5321, section 4.1.3).
    Host(IpAddr),
}

impl MailDestination {
    /// Returns the destination of an address; `None` for a domain without a valid ASCII form.
    #[must_use]
    pub fn of(address: &EmailAddress) -> Option<Self> {
        let domain = address.domain();
        match domain.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(literal) => host(literal).map(Self::Host),
            None => in_ascii(&domain).map(Self::Domain),
        }
    }
}

impl fmt::Display for MailDestination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Domain(name) => f.write_str(name),
            Self::Host(address) => write!(f, "[{address}]"),
        }
    }
}

/// Returns the ASCII form of a domain; `None` if it has none.
#[must_use]
pub fn in_ascii(domain: &str) -> Option<String> {
    let ascii = if domain.is_ascii() { domain.to_ascii_lowercase() } else { idna::domain_to_ascii(domain).ok()? };
    (!ascii.is_empty() && ascii.len() <= MAX_DOMAIN_BYTES).then_some(ascii)
}

/// Parses `192.0.2.1` or `ipv6:2001:db8::1`, in lower case.
fn host(literal: &str) -> Option<IpAddr> {
    match literal.strip_prefix("ipv6:") {
        Some(address) => address.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
        None => literal.parse::<Ipv4Addr>().ok().map(IpAddr::V4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_destinations_have_one_name() {
        let table = [
            ("anna@Example.ORG", Some("example.org")),
            ("anna@m\u{fc}nchen.example", Some("xn--mnchen-3ya.example")),
            ("anna@M\u{dc}NCHEN.example", Some("xn--mnchen-3ya.example")),
            ("anna@xn--mnchen-3ya.example", Some("xn--mnchen-3ya.example")),
            ("anna@_dmarc.example.org", Some("_dmarc.example.org")),
            ("anna@[192.0.2.1]", Some("[192.0.2.1]")),
            ("anna@[IPv6:2001:DB8:0::1]", Some("[2001:db8::1]")),
            ("anna@xn--\u{fc}.example", None),
        ];
        for (address, name) in table {
            let destination = address.parse().ok().and_then(|address: EmailAddress| MailDestination::of(&address));
            assert_eq!(destination.map(|found| found.to_string()).as_deref(), name, "{address}");
        }
    }

    #[test]
    fn domain_above_dns_limit_has_no_destination() {
        let long = format!("{}.example", vec!["\u{fc}".repeat(20); 10].join("."));
        assert!(long.len() > MAX_DOMAIN_BYTES, "{}", long.len());
        assert_eq!(in_ascii(&long), None);
        assert_eq!(in_ascii(""), None);
    }
}

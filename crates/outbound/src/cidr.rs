//! Networks in CIDR notation (RFC 4632, RFC 4291 section 2.3).

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// IP network in CIDR notation: `10.0.0.0/8`, `fd00::/8`, or one address without a prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cidr {
    network: IpAddr,
    /// Number of leading bits that identify the network: 0 to 32 for IPv4, 0 to 128 for IPv6.
    prefix: u8,
}

/// Reason for which a text is not a network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CidrError {
    /// The part before the slash is not an IP address.
    #[error("{0:?} is not a network: write an IP address and a prefix length, as in 10.0.0.0/8 or fd00::/8")]
    Address(String),
    /// The part after the slash is not a number, or exceeds the address size.
    #[error("{text:?} has no prefix length from 0 to {max}")]
    Prefix {
        /// The rejected text.
        text: String,
        /// The largest prefix length of this address family.
        max: u8,
    },
    /// The address has bits set beyond the prefix, so one of the two is a typing error.
    #[error("{text:?} has bits set beyond its prefix: did you mean {suggestion}?")]
    HostBits {
        /// The rejected text.
        text: String,
        /// The network that contains the address.
        suggestion: Cidr,
    },
}

impl Cidr {
    /// Returns an IPv4 network for the tables of this crate. The caller ensures that the prefix is valid.
    pub(crate) const fn v4(network: [u8; 4], prefix: u8) -> Self {
        let [a, b, c, d] = network;
        Self { network: IpAddr::V4(Ipv4Addr::new(a, b, c, d)), prefix }
    }

    /// Returns an IPv6 network, as [`Self::v4`] does. The last four segments are zero.
    pub(crate) const fn v6(network: [u16; 4], prefix: u8) -> Self {
        let [a, b, c, d] = network;
        Self { network: IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0)), prefix }
    }

    /// Returns whether an address belongs to this network. Addresses of the other family never do.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.network, address) {
            (IpAddr::V4(_), IpAddr::V4(_)) | (IpAddr::V6(_), IpAddr::V6(_)) => {
                network_address(address, self.prefix) == self.network
            }
            _ => false,
        }
    }
}

impl FromStr for Cidr {
    type Err = CidrError;

    fn from_str(text: &str) -> Result<Self, CidrError> {
        let (address, length) = match text.split_once('/') {
            Some((address, length)) => (address, Some(length)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| CidrError::Address(text.to_owned()))?;
        let max = if address.is_ipv4() { 32 } else { 128 };
        let prefix = match length {
            None => max,
            Some(digits) => parse_prefix_length(digits)
                .filter(|&prefix| prefix <= max)
                .ok_or_else(|| CidrError::Prefix { text: text.to_owned(), max })?,
        };
        let network = network_address(address, prefix);
        if network != address {
            return Err(CidrError::HostBits { text: text.to_owned(), suggestion: Self { network, prefix } });
        }
        Ok(Self { network, prefix })
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.network, self.prefix)
    }
}

/// Parses digits only. The standard library would also accept a plus sign.
fn parse_prefix_length(digits: &str) -> Option<u8> {
    if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse().ok() } else { None }
}

/// Returns the address with all bits beyond the prefix cleared.
fn network_address(address: IpAddr, prefix: u8) -> IpAddr {
    match address {
        IpAddr::V4(v4) => {
            let mask = u32::MAX.checked_shl(32 - u32::from(prefix.min(32))).unwrap_or(0);
            IpAddr::V4(Ipv4Addr::from_bits(v4.to_bits() & mask))
        }
        IpAddr::V6(v6) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(prefix.min(128))).unwrap_or(0);
            IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & mask))
        }
    }
}

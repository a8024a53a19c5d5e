//! Networks in CIDR notation (RFC 4632, RFC 4291 section 2.3).

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use ipnet::{IpNet, Ipv6Net};

/// Public addresses of IPv6: global unicast (RFC 4291, section 2.4; the assigned part of it).
const GLOBAL_UNICAST: Ipv6Net = Ipv6Net::new_assert(Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// IP network in CIDR notation: `10.0.0.0/8`, `fd00::/8`, or one address without a prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cidr(IpNet);

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
    /// Returns an IPv4 network, for tables in code.
    ///
    /// # Panics
    /// At compile time if the prefix exceeds 32 bits.
    #[must_use]
    pub const fn v4(network: [u8; 4], prefix: u8) -> Self {
        let [a, b, c, d] = network;
        Self(IpNet::new_assert(IpAddr::V4(Ipv4Addr::new(a, b, c, d)), prefix))
    }

    /// Returns an IPv6 network, as [`Self::v4`] does. The last four segments are zero.
    ///
    /// # Panics
    /// At compile time if the prefix exceeds 128 bits.
    #[must_use]
    pub const fn v6(network: [u16; 4], prefix: u8) -> Self {
        let [a, b, c, d] = network;
        Self(IpNet::new_assert(IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0)), prefix))
    }

    /// Returns whether an address belongs to this network. Addresses of the other family never do.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address)
    }
}

/// Returns whether networks together contain at least a quarter of the addresses of IPv4, or of the public ones of IPv6.
#[must_use]
pub fn covers_internet(networks: &[Cidr]) -> bool {
    let (mut v4, mut v6) = (0_u64, 0_u128);
    for network in IpNet::aggregate(&networks.iter().map(|network| network.0).collect()) {
        match network {
            IpNet::V4(network) => v4 += 1 << (32 - network.prefix_len()),
            IpNet::V6(network) if network.contains(&GLOBAL_UNICAST) => v6 += 1 << 125,
            IpNet::V6(network) if GLOBAL_UNICAST.contains(&network) => v6 += 1 << (128 - network.prefix_len()),
            IpNet::V6(_) => {}
        }
    }
    v4 >= 1 << 30 || v6 >= 1 << 123
}

impl FromStr for Cidr {
    type Err = CidrError;

    fn from_str(text: &str) -> Result<Self, CidrError> {
        let (address, length) = match text.split_once('/') {
            Some((address, length)) => (address, Some(length)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| CidrError::Address(text.to_owned()))?;
        let whole = IpNet::from(address);
        let network = length.map_or(Some(whole), |digits| IpNet::new(address, parse_prefix_length(digits)?).ok());
        let network =
            network.ok_or_else(|| CidrError::Prefix { text: text.to_owned(), max: whole.max_prefix_len() })?;
        if network.addr() != network.network() {
            return Err(CidrError::HostBits { text: text.to_owned(), suggestion: Self(network.trunc()) });
        }
        Ok(Self(network))
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// Parses digits only. The standard library would also accept a plus sign.
fn parse_prefix_length(digits: &str) -> Option<u8> {
    if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse().ok() } else { None }
}

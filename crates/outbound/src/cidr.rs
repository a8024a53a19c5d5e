//! Networks in CIDR notation (RFC 4632, RFC 4291 section 2.3).

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// A network of addresses: `10.0.0.0/8`, `fd00::/8`, or one address alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cidr {
    network: IpAddr,
    /// How many leading bits count: at most 32 or 128, by the kind of address.
    prefix: u8,
}

/// Why a text is no network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CidrError {
    /// What stands before the slash is no IP address.
    #[error("{0:?} is no network: write an IP address and a prefix length, as in 10.0.0.0/8 or fd00::/8")]
    Address(String),
    /// What stands after the slash is no length, or too large a one.
    #[error("{text:?} has no prefix length from 0 to {most}")]
    Prefix {
        /// What was given.
        text: String,
        /// The largest length of this kind of address.
        most: u8,
    },
    /// The address has bits beyond the prefix, so one of the two is a slip.
    #[error("{text:?} has bits set beyond its prefix: did you mean {meant}?")]
    HostBits {
        /// What was given.
        text: String,
        /// The network that holds it.
        meant: Cidr,
    },
}

impl Cidr {
    /// A network of this crate's own tables, whose prefix is known to fit.
    pub(crate) const fn v4(network: [u8; 4], prefix: u8) -> Self {
        let [a, b, c, d] = network;
        Self { network: IpAddr::V4(Ipv4Addr::new(a, b, c, d)), prefix }
    }

    /// As [`Self::v4`]; the segments beyond the first four are zero.
    pub(crate) const fn v6(network: [u16; 4], prefix: u8) -> Self {
        let [a, b, c, d] = network;
        Self { network: IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0)), prefix }
    }

    /// Whether an address lies in this network. An address of the other kind never does.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.network, address) {
            (IpAddr::V4(_), IpAddr::V4(_)) | (IpAddr::V6(_), IpAddr::V6(_)) => {
                first_address(address, self.prefix) == self.network
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
        let most = if address.is_ipv4() { 32 } else { 128 };
        let prefix = match length {
            None => most,
            Some(digits) => prefix_length(digits)
                .filter(|&prefix| prefix <= most)
                .ok_or_else(|| CidrError::Prefix { text: text.to_owned(), most })?,
        };
        let network = first_address(address, prefix);
        if network != address {
            return Err(CidrError::HostBits { text: text.to_owned(), meant: Self { network, prefix } });
        }
        Ok(Self { network, prefix })
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.network, self.prefix)
    }
}

/// Digits alone: the standard library would also take a plus sign.
fn prefix_length(digits: &str) -> Option<u8> {
    if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse().ok() } else { None }
}

/// The address with every bit beyond the prefix cleared.
fn first_address(address: IpAddr, prefix: u8) -> IpAddr {
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

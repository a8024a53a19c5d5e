//! Address guard against server-side request forgery.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::Cidr;

/// IPv4 networks outside the public internet: special-purpose registry (RFC 6890), multicast, and cloud metadata
/// services.
const RESERVED_V4: [Cidr; 17] = [
    Cidr::v4([0, 0, 0, 0], 8),          // this host, RFC 1122
    Cidr::v4([10, 0, 0, 0], 8),         // private, RFC 1918
    Cidr::v4([100, 64, 0, 0], 10),      // carrier-grade NAT, RFC 6598
    Cidr::v4([127, 0, 0, 0], 8),        // loopback, RFC 1122
    Cidr::v4([168, 63, 129, 16], 32),   // metadata and control address of Azure
    Cidr::v4([169, 254, 0, 0], 16),     // link-local, RFC 3927; metadata service of most clouds
    Cidr::v4([172, 16, 0, 0], 12),      // private, RFC 1918
    Cidr::v4([192, 0, 0, 0], 24),       // protocol assignments, RFC 6890
    Cidr::v4([192, 0, 2, 0], 24),       // documentation, RFC 5737
    Cidr::v4([192, 88, 99, 0], 24),     // 6to4 relays, RFC 7526
    Cidr::v4([192, 168, 0, 0], 16),     // private, RFC 1918
    Cidr::v4([198, 18, 0, 0], 15),      // benchmarks, RFC 2544
    Cidr::v4([198, 51, 100, 0], 24),    // documentation, RFC 5737
    Cidr::v4([203, 0, 113, 0], 24),     // documentation, RFC 5737
    Cidr::v4([224, 0, 0, 0], 4),        // multicast, RFC 5771
    Cidr::v4([240, 0, 0, 0], 4),        // reserved, RFC 1112
    Cidr::v4([255, 255, 255, 255], 32), // broadcast, RFC 919
];

/// The only allocated part of IPv6 (RFC 4291, IANA). Loopback, link-local, unique local and multicast addresses lie
/// outside it.
const GLOBAL_V6: Cidr = Cidr::v6([0x2000, 0, 0, 0], 3);

/// Networks within [`GLOBAL_V6`] that are not public.
const RESERVED_V6: [Cidr; 4] = [
    Cidr::v6([0x2001, 0, 0, 0], 23),      // Teredo, ORCHID, benchmarks and others, RFC 2928
    Cidr::v6([0x2001, 0x0db8, 0, 0], 32), // documentation, RFC 3849
    Cidr::v6([0x2002, 0, 0, 0], 16),      // 6to4, which embeds any IPv4 address, RFC 3056
    Cidr::v6([0x3fff, 0, 0, 0], 20),      // documentation, RFC 9637
];

/// Prefix under which NAT64 embeds IPv4 addresses (RFC 6052).
const NAT64: Cidr = Cidr::v6([0x0064, 0xff9b, 0, 0], 96);

/// Returns whether an address belongs to the public internet.
///
/// An IPv6 address that embeds IPv4 (mapped or NAT64) is classified as that IPv4 address, because the connection ends
/// there.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match effective_address(address) {
        v4 @ IpAddr::V4(_) => !RESERVED_V4.iter().any(|network| network.contains(v4)),
        v6 @ IpAddr::V6(_) => GLOBAL_V6.contains(v6) && !RESERVED_V6.iter().any(|network| network.contains(v6)),
    }
}

/// Address guard: permits public addresses and the private networks of `INBOXD_OUTBOUND_ALLOW_CIDRS`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddressGuard {
    allow: Vec<Cidr>,
}

impl AddressGuard {
    /// Returns a guard that permits these networks in addition to public addresses.
    #[must_use]
    pub fn allowing(allow: Vec<Cidr>) -> Self {
        Self { allow }
    }

    /// Returns a guard that permits every address, for URLs of the operator.
    #[must_use]
    pub fn permitting_all() -> Self {
        Self::allowing(vec![Cidr::v4([0; 4], 0), Cidr::v6([0; 4], 0)])
    }

    /// Returns whether a connection to this address is permitted.
    #[must_use]
    pub fn permits(&self, address: IpAddr) -> bool {
        let effective_address = effective_address(address);
        is_public(effective_address) || self.allow.iter().any(|network| network.contains(effective_address))
    }
}

/// Returns the address at which a connection to this one ends.
fn effective_address(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(v6) => embedded_v4(v6).map_or(address, IpAddr::V4),
        IpAddr::V4(_) => address,
    }
}

fn embedded_v4(v6: Ipv6Addr) -> Option<Ipv4Addr> {
    if let Some(mapped) = v6.to_ipv4_mapped() {
        return Some(mapped);
    }
    let [.., a, b, c, d] = v6.octets();
    NAT64.contains(IpAddr::V6(v6)).then(|| Ipv4Addr::new(a, b, c, d))
}

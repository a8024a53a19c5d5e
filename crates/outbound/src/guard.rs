//! Which addresses inboxd may connect to for a caller.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::Cidr;

/// IPv4 that is not the public internet: the special-purpose registry (RFC 6890), multicast, and what a cloud puts in
/// reach of its machines alone.
const RESERVED_V4: [Cidr; 17] = [
    Cidr::v4([0, 0, 0, 0], 8),          // this host, RFC 1122
    Cidr::v4([10, 0, 0, 0], 8),         // private, RFC 1918
    Cidr::v4([100, 64, 0, 0], 10),      // behind a carrier's NAT, RFC 6598
    Cidr::v4([127, 0, 0, 0], 8),        // loopback, RFC 1122
    Cidr::v4([168, 63, 129, 16], 32),   // the metadata and control address of Azure
    Cidr::v4([169, 254, 0, 0], 16),     // link-local, RFC 3927; metadata of most clouds
    Cidr::v4([172, 16, 0, 0], 12),      // private, RFC 1918
    Cidr::v4([192, 0, 0, 0], 24),       // protocol assignments, RFC 6890
    Cidr::v4([192, 0, 2, 0], 24),       // documentation, RFC 5737
    Cidr::v4([192, 88, 99, 0], 24),     // relays of 6to4, RFC 7526
    Cidr::v4([192, 168, 0, 0], 16),     // private, RFC 1918
    Cidr::v4([198, 18, 0, 0], 15),      // benchmarks, RFC 2544
    Cidr::v4([198, 51, 100, 0], 24),    // documentation, RFC 5737
    Cidr::v4([203, 0, 113, 0], 24),     // documentation, RFC 5737
    Cidr::v4([224, 0, 0, 0], 4),        // multicast, RFC 5771
    Cidr::v4([240, 0, 0, 0], 4),        // reserved, RFC 1112
    Cidr::v4([255, 255, 255, 255], 32), // broadcast, RFC 919
];

/// The only part of IPv6 that is given out (RFC 4291, IANA): loopback, link-local, unique local and multicast all lie
/// outside it.
const GLOBAL_V6: Cidr = Cidr::v6([0x2000, 0, 0, 0], 3);

/// What is not public within [`GLOBAL_V6`].
const RESERVED_V6: [Cidr; 4] = [
    Cidr::v6([0x2001, 0, 0, 0], 23),      // Teredo, ORCHID, benchmarks and the like, RFC 2928
    Cidr::v6([0x2001, 0x0db8, 0, 0], 32), // documentation, RFC 3849
    Cidr::v6([0x2002, 0, 0, 0], 16),      // 6to4: any IPv4 address in disguise, RFC 3056
    Cidr::v6([0x3fff, 0, 0, 0], 20),      // documentation, RFC 9637
];

/// Where a translator puts IPv4 into IPv6 (RFC 6052).
const NAT64: Cidr = Cidr::v6([0x0064, 0xff9b, 0, 0], 96);

/// Whether an address belongs to the public internet. IPv4 that is wrapped in IPv6, mapped or for NAT64, is judged as
/// the IPv4 that a connection would reach.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match reached(address) {
        v4 @ IpAddr::V4(_) => !RESERVED_V4.iter().any(|network| network.contains(v4)),
        v6 @ IpAddr::V6(_) => GLOBAL_V6.contains(v6) && !RESERVED_V6.iter().any(|network| network.contains(v6)),
    }
}

/// Which addresses may be connected to: the public ones, and those that the operator allows although private
/// (`INBOXD_OUTBOUND_ALLOW_CIDRS`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Guard {
    allow: Vec<Cidr>,
}

impl Guard {
    /// A guard that allows these networks besides the public ones.
    #[must_use]
    pub fn allowing(allow: Vec<Cidr>) -> Self {
        Self { allow }
    }

    /// Whether a connection to this address may be made.
    #[must_use]
    pub fn permits(&self, address: IpAddr) -> bool {
        let reached = reached(address);
        is_public(reached) || self.allow.iter().any(|network| network.contains(reached))
    }
}

/// The address that a connection to this one ends at.
fn reached(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(v6) => wrapped_v4(v6).map_or(address, IpAddr::V4),
        IpAddr::V4(_) => address,
    }
}

fn wrapped_v4(v6: Ipv6Addr) -> Option<Ipv4Addr> {
    if let Some(mapped) = v6.to_ipv4_mapped() {
        return Some(mapped);
    }
    let [.., a, b, c, d] = v6.octets();
    NAT64.contains(IpAddr::V6(v6)).then(|| Ipv4Addr::new(a, b, c, d))
}

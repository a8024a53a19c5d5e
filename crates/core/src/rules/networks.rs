//! Client networks: the scopes in which limits count clients.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A client by its address and by the network around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClientNetwork {
    /// The IPv4 address, or the /64 of an IPv6 address: one host has the whole /64 (RFC 6177).
    pub address: IpAddr,
    /// The /24 of an IPv4 address, or the /48 of an IPv6 address, which providers assign to one customer.
    pub network: IpAddr,
}

impl ClientNetwork {
    /// Returns the scopes of an address. An IPv4 address inside IPv6 counts as IPv4.
    #[must_use]
    pub fn of(ip: IpAddr) -> Self {
        match ip.to_canonical() {
            IpAddr::V4(v4) => {
                Self { address: v4.into(), network: Ipv4Addr::from_bits(v4.to_bits() & (u32::MAX << 8)).into() }
            }
            IpAddr::V6(v6) => {
                let masked = |shift: u32| Ipv6Addr::from_bits(v6.to_bits() & (u128::MAX << shift)).into();
                Self { address: masked(64), network: masked(80) }
            }
        }
    }

    /// Returns whether the address belongs to this machine or to a private network, as those of proxies do.
    #[must_use]
    pub fn is_local(self) -> bool {
        match self.address {
            IpAddr::V4(v4) => v4.is_loopback() || v4.is_private(),
            // The scope of `::1` is its /64, `::`.
            IpAddr::V6(v6) => v6.is_unspecified() || v6.is_unique_local(),
        }
    }
}

/// Returns the /24 of an IPv4 address or the /64 of an IPv6 address, as text for people.
#[must_use]
pub fn network_of(address: IpAddr) -> String {
    let ClientNetwork { address, network } = ClientNetwork::of(address);
    if address.is_ipv4() { format!("{network}/24") } else { format!("{address}/64") }
}

/// Returns the /24 of an IPv4 address or the /48 of an IPv6 address, which providers assign to one customer.
#[must_use]
pub fn customer_network_of(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(_) => network_of(address),
        IpAddr::V6(v6) => {
            let [a, b, c, ..] = v6.segments();
            format!("{}/48", Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_of_address_hides_host_part() {
        let table = [
            ("198.51.100.77", "198.51.100.0/24"),
            ("::ffff:198.51.100.77", "198.51.100.0/24"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ];
        for (address, expected) in table {
            assert_eq!(address.parse().map(network_of).as_deref(), Ok(expected), "{address}");
        }
    }

    #[test]
    fn client_network_of_address_masks_host_bits() -> Result<(), std::net::AddrParseError> {
        let table = [
            ("192.0.2.7", "192.0.2.7", "192.0.2.0", false),
            ("::ffff:192.0.2.7", "192.0.2.7", "192.0.2.0", false),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::", "2001:db8:1::", false),
            ("10.1.2.3", "10.1.2.3", "10.1.2.0", true),
            ("127.0.0.1", "127.0.0.1", "127.0.0.0", true),
            ("::1", "::", "::", true),
            ("fd00:1:2:3::4", "fd00:1:2:3::", "fd00:1:2::", true),
        ];
        for (ip, address, network, is_local) in table {
            let expected = ClientNetwork { address: address.parse()?, network: network.parse()? };
            let client = ClientNetwork::of(ip.parse()?);
            assert_eq!((client, client.is_local()), (expected, is_local), "{ip}");
        }
        Ok(())
    }
}

//! Client networks: the scopes in which limits count SMTP clients.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A client by its address and by the network around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ClientNetwork {
    /// The IPv4 address, or the /64 of an IPv6 address: one host has the whole /64.
    pub(super) address: IpAddr,
    /// The /24 of an IPv4 address, or the /48 of an IPv6 address: one customer of a provider has so much.
    pub(super) network: IpAddr,
}

impl ClientNetwork {
    pub(super) fn of(ip: IpAddr) -> Self {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn client_network_of_address_masks_host_bits() -> Result<(), std::net::AddrParseError> {
        let table = [
            ("192.0.2.7", "192.0.2.7", "192.0.2.0"),
            ("::ffff:192.0.2.7", "192.0.2.7", "192.0.2.0"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::", "2001:db8:1::"),
        ];
        for (ip, address, network) in table {
            let expected = ClientNetwork { address: address.parse()?, network: network.parse()? };
            assert_eq!(ClientNetwork::of(ip.parse()?), expected, "{ip}");
        }
        Ok(())
    }
}

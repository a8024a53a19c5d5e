//! Client networks: the part of an address that one client may change at will.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Returns the /24 of an IPv4 address or the /64 of an IPv6 address, as text for people.
#[must_use]
pub fn network_of(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(v4) => {
            let [a, b, c, _] = v4.octets();
            format!("{}/24", Ipv4Addr::new(a, b, c, 0))
        }
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            format!("{}/64", Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

/// Returns the /24 of an IPv4 address or the /48 of an IPv6 address: one customer of a provider has so much.
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
}

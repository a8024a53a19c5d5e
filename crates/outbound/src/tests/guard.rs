use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;

use crate::{AddressGuard, is_public};

const PUBLIC: [&str; 22] = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "168.63.129.15",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.167.255.255",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2001:4860:4860::8888",
    "2606:4700:4700::1111",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
];

const NOT_PUBLIC: [&str; 58] = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.100.100.200",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "192.168.255.255",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::2",
    "::127.0.0.1",
    "::8.8.8.8",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:0:8.8.8.8",
    "64:ff9b::127.0.0.1",
    "64:ff9b::10.0.0.1",
    "64:ff9b::169.254.169.254",
    "64:ff9b:1::8.8.8.8",
    "100::1",
    "1fff::1",
    "2001::1",
    "2001:2::1",
    "2001:10::1",
    "2001:20::1",
    "2001:1ff:ffff::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:808:808::1",
    "3fff::1",
    "4000::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "ff02::1",
];

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

#[test]
fn public_address_is_permitted() {
    for address in PUBLIC {
        assert!(is_public(ip(address)), "{address}");
        assert!(AddressGuard::default().permits(ip(address)), "{address}");
    }
}

#[test]
fn reserved_address_is_not_permitted() {
    for address in NOT_PUBLIC {
        assert!(!is_public(ip(address)), "{address}");
        assert!(!AddressGuard::default().permits(ip(address)), "{address}");
    }
}

#[test]
fn allowed_network_alone_is_permitted() {
    let guard = AddressGuard::allowing(vec!["10.1.0.0/16".parse().unwrap(), "fd00:1::/32".parse().unwrap()]);
    for address in ["10.1.0.1", "::ffff:10.1.0.1", "64:ff9b::10.1.0.1", "fd00:1::5", "8.8.8.8"] {
        assert!(guard.permits(ip(address)), "{address}");
    }
    for address in ["10.2.0.1", "::ffff:10.2.0.1", "127.0.0.1", "fd00:2::5", "::1"] {
        assert!(!guard.permits(ip(address)), "{address}");
    }
}

#[test]
fn allowing_ipv6_permits_no_embedded_ipv4() {
    let guard = AddressGuard::allowing(vec!["::/0".parse().unwrap()]);
    assert!(guard.permits(ip("::1")));
    assert!(!guard.permits(ip("::ffff:127.0.0.1")));
    assert!(!guard.permits(ip("64:ff9b::127.0.0.1")));
}

proptest! {
    #[test]
    fn embedded_ipv4_has_same_verdict_as_ipv4(bits: u32) {
        let v4 = Ipv4Addr::from_bits(bits);
        let nat64 = Ipv6Addr::from_bits((0x0064_ff9b_u128 << 96) | u128::from(bits));
        prop_assert_eq!(is_public(IpAddr::V6(v4.to_ipv6_mapped())), is_public(IpAddr::V4(v4)));
        prop_assert_eq!(is_public(IpAddr::V6(nat64)), is_public(IpAddr::V4(v4)));
    }

    #[test]
    fn special_ipv4_of_standard_library_is_not_public(bits: u32) {
        let v4 = Ipv4Addr::from_bits(bits);
        let special = v4.is_private() || v4.is_loopback() || v4.is_link_local() || v4.is_multicast()
            || v4.is_broadcast() || v4.is_documentation() || v4.is_unspecified();
        prop_assert!(!special || !is_public(IpAddr::V4(v4)), "{}", v4);
    }

    #[test]
    fn unallocated_ipv6_is_not_public(bits: u128) {
        let v6 = Ipv6Addr::from_bits(bits);
        let wraps = v6.to_ipv4_mapped().is_some() || bits >> 32 == 0x0064_ff9b_u128 << 64;
        prop_assert!(wraps || bits >> 125 == 1 || !is_public(IpAddr::V6(v6)), "{}", v6);
    }
}

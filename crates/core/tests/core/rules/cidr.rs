use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use inboxd_core::rules::cidr::{Cidr, CidrError, covers_internet};
use proptest::prelude::*;

fn cidr(text: &str) -> Cidr {
    text.parse().unwrap()
}

#[test]
fn network_contains_first_and_last_address_but_not_neighbours() {
    for (network, inside, outside) in [
        ("10.0.0.0/8", ["10.0.0.0", "10.255.255.255"], ["9.255.255.255", "11.0.0.0"]),
        ("192.168.4.0/22", ["192.168.4.0", "192.168.7.255"], ["192.168.3.255", "192.168.8.0"]),
        ("127.0.0.1", ["127.0.0.1", "127.0.0.1"], ["127.0.0.0", "127.0.0.2"]),
        ("fd00::/8", ["fd00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"], ["fcff::", "fe00::"]),
        ("::1", ["::1", "::1"], ["::", "::2"]),
    ] {
        for address in inside {
            assert!(cidr(network).contains(address.parse().unwrap()), "{network} holds {address}");
        }
        for address in outside {
            assert!(!cidr(network).contains(address.parse().unwrap()), "{network} does not hold {address}");
        }
    }
}

#[test]
fn network_of_one_family_contains_no_address_of_other() {
    assert!(cidr("0.0.0.0/0").contains("255.1.2.3".parse().unwrap()));
    assert!(!cidr("0.0.0.0/0").contains("::1".parse().unwrap()));
    assert!(cidr("::/0").contains("2001:db8::1".parse().unwrap()));
    assert!(!cidr("::/0").contains("10.0.0.1".parse().unwrap()));
}

#[test]
fn networks_cover_internet_from_quarter_of_public_addresses() {
    for (networks, expected) in [
        (&["0.0.0.0/0"][..], true),
        (&["0.0.0.0/1", "128.0.0.0/1"], true),
        (&["64.0.0.0/3", "10.0.0.0/8", "160.0.0.0/3"], true),
        (&["64.0.0.0/3", "64.0.0.0/4", "80.0.0.0/4"], false),
        (&["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "127.0.0.0/8", "fc00::/7", "::1"], false),
        (&["::/0"], true),
        (&["::/1"], true),
        (&["2000::/3"], true),
        (&["2000::/6", "2400::/6"], true),
        (&["2400:cb00::/32", "8000::/1"], false),
        (&[], false),
    ] {
        let parsed: Vec<Cidr> = networks.iter().map(|network| cidr(network)).collect();
        assert_eq!(covers_internet(&parsed), expected, "{networks:?}");
    }
}

#[test]
fn invalid_network_is_refused_with_cause() {
    for text in ["", "ten", "10.0.0/8", "10.0.0.0.0/8", "127.1", "0x7f000001", "010.0.0.0/8", " 10.0.0.0/8", "[::1]"] {
        assert_eq!(text.parse::<Cidr>(), Err(CidrError::Address(text.to_owned())));
    }
    for (text, max) in [("10.0.0.0/33", 32), ("10.0.0.0/", 32), ("10.0.0.0/+8", 32), ("::/129", 128), ("::/-1", 128)] {
        assert_eq!(text.parse::<Cidr>(), Err(CidrError::Prefix { text: text.to_owned(), max }));
    }
    assert_eq!(
        "10.1.2.3/8".parse::<Cidr>().unwrap_err().to_string(),
        "\"10.1.2.3/8\" has bits set beyond its prefix: did you mean 10.0.0.0/8?"
    );
}

proptest! {
    #[test]
    fn displayed_network_parses_back(bits: u32, prefix in 0_u8..=32) {
        let network = if prefix == 0 { 0 } else { bits & (u32::MAX << (32 - prefix)) };
        let shown = format!("{}/{prefix}", Ipv4Addr::from_bits(network));
        let parsed: Cidr = shown.parse().unwrap();
        prop_assert_eq!(parsed.to_string(), shown);
        prop_assert!(parsed.contains(IpAddr::V4(Ipv4Addr::from_bits(bits))));
    }

    #[test]
    fn contains_compares_leading_bits(network: u128, prefix in 0_u8..=128, address: u128) {
        let kept = |bits: u128| if prefix == 0 { 0 } else { bits >> (128 - prefix) };
        let first = if prefix == 0 { 0 } else { kept(network) << (128 - prefix) };
        let cidr: Cidr = format!("{}/{prefix}", Ipv6Addr::from_bits(first)).parse().unwrap();
        prop_assert_eq!(cidr.contains(IpAddr::V6(Ipv6Addr::from_bits(address))), kept(address) == kept(network));
    }

    #[test]
    fn arbitrary_text_does_not_panic(text in "\\PC{0,40}") {
        let _ = text.parse::<Cidr>();
    }
}

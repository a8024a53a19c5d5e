use std::net::IpAddr;

use inboxd_core::rules::trusted_proxies::TrustedProxies;
use proptest::prelude::*;

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn proxies() -> TrustedProxies {
    TrustedProxies::new(["10.0.0.0/8", "::1", "fd00::/8"].map(|network| network.parse().unwrap()).into())
}

#[test]
fn forwarded_for_names_last_untrusted_address() {
    for (peer, values, client) in [
        ("192.0.2.9", &["198.51.100.1"][..], "192.0.2.9"),
        ("10.0.0.1", &[], "10.0.0.1"),
        ("10.0.0.1", &["198.51.100.1"], "198.51.100.1"),
        ("::ffff:10.0.0.1", &["198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", &["203.0.113.5, 198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", &["203.0.113.5", "198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", &["203.0.113.5, 198.51.100.1, 10.0.0.2,fd00::7 ,\t::1"], "198.51.100.1"),
        ("::1", &["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
        ("10.0.0.1", &["::ffff:198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", &["198.51.100.1:4711"], "198.51.100.1"),
        ("10.0.0.1", &["[2001:db8::7]:4711"], "2001:db8::7"),
        ("10.0.0.1", &["[2001:db8::7]"], "2001:db8::7"),
        ("10.0.0.1", &["198.51.100.1, unknown"], "10.0.0.1"),
        ("10.0.0.1", &["198.51.100.1, unknown, 10.0.0.2"], "10.0.0.2"),
        ("10.0.0.1", &["198.51.100.1,"], "10.0.0.1"),
        ("10.0.0.1", &["198.51.100.1", ""], "10.0.0.1"),
        ("10.0.0.1", &["198.51.100.01"], "10.0.0.1"),
        ("10.0.0.1", &["fe80::1%eth0"], "10.0.0.1"),
    ] {
        assert_eq!(proxies().client(ip(peer), values, &[]), ip(client), "{peer} {values:?}");
    }
}

#[test]
fn forwarded_names_last_untrusted_address() {
    for (peer, values, client) in [
        ("192.0.2.9", &["for=198.51.100.1"][..], "192.0.2.9"),
        ("10.0.0.1", &["for=198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", &["For=\"198.51.100.1:80\""], "198.51.100.1"),
        ("10.0.0.1", &["for=198.51.100.1:80;proto=http"], "198.51.100.1"),
        ("10.0.0.1", &["proto=https; for=\"[2001:db8::7]:4711\";by=_edge"], "2001:db8::7"),
        ("10.0.0.1", &["for=203.0.113.5, for=198.51.100.1;host=\"a.example:1\", for=10.0.0.2"], "198.51.100.1"),
        ("10.0.0.1", &["for=198.51.100.1, for=unknown"], "10.0.0.1"),
        ("10.0.0.1", &["for=198.51.100.1, for=_hidden, for=10.0.0.2"], "10.0.0.2"),
        ("10.0.0.1", &["proto=https"], "10.0.0.1"),
        ("10.0.0.1", &["for=198.51.100.1;for=203.0.113.5"], "10.0.0.1"),
        ("10.0.0.1", &["for=198.51.100.1;secret"], "10.0.0.1"),
        // A client cannot hide the element of the proxy behind a quotation mark of its own.
        ("10.0.0.1", &["for=\"203.0.113.5, for=198.51.100.1"], "198.51.100.1"),
        // A client chooses its `Host`, which some proxies copy.
        ("10.0.0.1", &["for=198.51.100.1;host=\"a,for=203.0.113.5\""], "10.0.0.1"),
        ("10.0.0.1", &["for=198.51.100.1;host=\"a,for=203.0.113.5;b=\""], "10.0.0.1"),
        ("10.0.0.1", &["for=198.51.100.1;host=\"a,for=203.0.113.5;b=\\\"\""], "10.0.0.1"),
    ] {
        assert_eq!(proxies().client(ip(peer), &[], values), ip(client), "{peer} {values:?}");
    }
}

#[test]
fn contradicting_fields_count_as_address_of_proxy() {
    let client = |forwarded_for, forwarded| proxies().client(ip("10.0.0.1"), &[forwarded_for], &[forwarded]);
    assert_eq!(client("198.51.100.1", "for=198.51.100.1"), ip("198.51.100.1"));
    assert_eq!(client("198.51.100.1", "for=203.0.113.5"), ip("10.0.0.1"));
    assert_eq!(client("198.51.100.1", "nonsense"), ip("10.0.0.1"));
}

#[test]
fn no_proxy_is_trusted_without_networks() {
    assert!(TrustedProxies::default().is_empty());
    assert_eq!(TrustedProxies::default().client(ip("127.0.0.1"), &["198.51.100.1"], &[]), ip("127.0.0.1"));
}

proptest! {
    #[test]
    fn untrusted_peer_never_chooses_its_address(peer: u32, fields: Vec<String>, forwarded: Vec<String>) {
        let peer = IpAddr::from(peer.to_be_bytes());
        prop_assume!(!proxies().contains(peer));
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        let forwarded: Vec<&str> = forwarded.iter().map(String::as_str).collect();
        prop_assert_eq!(proxies().client(peer, &fields, &forwarded), peer);
    }

    /// The proxy sets one field, by adding the address of its peer, and passes the other field on unchanged.
    #[test]
    fn client_of_proxy_never_chooses_its_address(
        client: u128,
        sent in prop_oneof![".{0,40}", "[\"=;,\\\\ fo0-9.:r\\[\\]]{0,40}"],
        other in prop_oneof![Just(None), ".{0,40}".prop_map(Some), "for=198.51.100.[0-9]".prop_map(Some)],
        is_one_line: bool,
    ) {
        let client = IpAddr::from(client.to_be_bytes());
        prop_assume!(!proxies().contains(client));
        let proxy = ip("10.0.0.1");
        let others: Vec<&str> = other.iter().map(String::as_str).collect();
        let expected = if others.is_empty() { vec![client.to_canonical()] } else { vec![client.to_canonical(), proxy] };
        let field = |entry: String| if is_one_line { vec![format!("{sent}, {entry}")] } else { vec![sent.clone(), entry] };
        let forwarded_for = field(client.to_string());
        let forwarded_for: Vec<&str> = forwarded_for.iter().map(String::as_str).collect();
        prop_assert!(expected.contains(&proxies().client(proxy, &forwarded_for, &others)));
        let node = if client.is_ipv4() { client.to_string() } else { format!("\"[{client}]\"") };
        let forwarded = field(format!("for={node};proto=https"));
        let forwarded: Vec<&str> = forwarded.iter().map(String::as_str).collect();
        prop_assert!(expected.contains(&proxies().client(proxy, &others, &forwarded)));
    }
}

#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

use std::time::{Duration, Instant};

use inboxd_core::ports::{Dns as _, Lookup, MxHost};
use inboxd_testkit::DnsServer;

use super::DnsResolver;

async fn start() -> (DnsServer, DnsResolver) {
    let dns = DnsServer::start().await;
    let resolver = DnsResolver::at(dns.address()).unwrap();
    (dns, resolver)
}

fn found(texts: &[&str]) -> Lookup<String> {
    Lookup::Found(texts.iter().map(|&text| text.to_owned()).collect())
}

#[tokio::test]
async fn txt_strings_are_concatenated() {
    let (dns, resolver) = start().await;
    let long = "x".repeat(400);
    dns.txt("example.org", &long);
    assert_eq!(resolver.txt("example.org").await, found(&[&long]));
}

#[tokio::test]
async fn lookup_returns_all_records_of_name_only() {
    let (dns, resolver) = start().await;
    dns.txt("example.org", "one");
    dns.txt("example.org", "two");
    dns.txt("a.example.org", "three");
    dns.mx("example.org", 10, "mx.example.org");
    dns.mx("example.org", 20, "MX2.example.net");
    let Lookup::Found(mut texts) = resolver.txt("Example.org").await else { panic!("no records") };
    texts.sort();
    assert_eq!(texts, ["one", "two"]);
    let Lookup::Found(mut hosts) = resolver.mx("example.org").await else { panic!("no records") };
    hosts.sort_by_key(|mx| mx.preference);
    let host = |preference, host: &str| MxHost { preference, host: host.to_owned() };
    assert_eq!(hosts, [host(10, "mx.example.org"), host(20, "MX2.example.net")]);
}

#[tokio::test]
async fn wildcard_and_underscore_names_are_queried_literally() {
    let (dns, resolver) = start().await;
    dns.mx("*.example.org", 10, "mx.example.org");
    dns.txt("inboxd._domainkey.example.org", "v=DKIM1");
    assert!(matches!(resolver.mx("*.example.org").await, Lookup::Found(hosts) if hosts.len() == 1));
    assert_eq!(resolver.txt("inboxd._domainkey.example.org").await, found(&["v=DKIM1"]));
}

#[tokio::test]
async fn missing_name_or_record_is_absent() {
    let (dns, resolver) = start().await;
    dns.txt("example.org", "one");
    assert_eq!(resolver.mx("example.org").await, Lookup::Absent);
    assert_eq!(resolver.txt("nowhere.example.org").await, Lookup::Absent);
}

#[tokio::test]
async fn inconclusive_response_is_a_failure() {
    let (dns, resolver) = start().await;
    dns.refer("referred.example");
    dns.code("unknown.example", 12);
    for number in 0..12 {
        dns.bare_alias(&format!("a{number}.example"), &format!("a{}.example", number + 1));
    }
    for name in ["referred.example", "unknown.example", "a0.example"] {
        let answers = (resolver.mx(name).await, resolver.addresses(name).await);
        assert!(matches!(answers, (Lookup::Failed(_), Lookup::Failed(_))), "{name}: {answers:?}");
    }
    // An alias of an absent name is absent.
    dns.bare_alias("short.example", "nowhere.example");
    assert_eq!(resolver.mx("short.example").await, Lookup::Absent);
}

#[tokio::test]
async fn root_zone_has_name_servers() {
    let (_dns, resolver) = start().await;
    assert!(matches!(resolver.name_servers(".").await, Lookup::Found(names) if !names.is_empty()));
}

#[tokio::test]
async fn alias_is_followed() {
    let (dns, resolver) = start().await;
    dns.alias("inboxd._domainkey.example.org", "key.example.net");
    dns.txt("key.example.net", "v=DKIM1");
    assert_eq!(resolver.txt("inboxd._domainkey.example.org").await, found(&["v=DKIM1"]));
}

#[tokio::test]
async fn truncated_response_is_queried_over_tcp() {
    let (dns, resolver) = start().await;
    let texts: Vec<String> = (0..9).map(|number| format!("{number}{}", "y".repeat(200))).collect();
    for text in &texts {
        dns.txt("example.org", text);
    }
    let Lookup::Found(mut answered) = resolver.txt("example.org").await else { panic!("no records") };
    answered.sort();
    assert_eq!(answered, texts);
}

#[tokio::test]
async fn new_record_is_found_at_once() {
    let (dns, resolver) = start().await;
    assert_eq!(resolver.txt("example.org").await, Lookup::Absent);
    dns.txt("example.org", "here");
    assert_eq!(resolver.txt("example.org").await, found(&["here"]));
    dns.remove("example.org");
    assert_eq!(resolver.txt("example.org").await, Lookup::Absent);
}

#[tokio::test]
async fn failing_server_is_a_failure() {
    let (dns, resolver) = start().await;
    dns.fail("example.org");
    assert!(matches!(resolver.txt("example.org").await, Lookup::Failed(_)));
}

#[tokio::test]
async fn silent_server_times_out() {
    let (dns, mut resolver) = start().await;
    resolver.time_limit = Duration::from_millis(300);
    dns.silence("example.org");
    let begun = Instant::now();
    assert_eq!(resolver.txt("example.org").await, Lookup::Failed("no response in time".to_owned()));
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn unreachable_resolver_is_a_failure() {
    let gone = DnsServer::start().await.address();
    let resolver = DnsResolver::at(gone).unwrap();
    assert!(matches!(resolver.mx("example.org").await, Lookup::Failed(_)));
    assert!(matches!(resolver.mx(&"a.".repeat(200)).await, Lookup::Failed(_)), "an invalid name");
}

#[tokio::test]
async fn addresses_include_both_families_and_aliases() {
    let (dns, resolver) = start().await;
    let [four, six] = ["192.0.2.1", "2001:db8::1"].map(|address| address.parse::<std::net::IpAddr>().unwrap());
    dns.host("mx.example.org", four);
    dns.host("mx.example.org", six);
    dns.host("six.example.org", six);
    dns.alias("mail.example.org", "mx.example.org");
    dns.fail("failing.example.org");
    for name in ["mx.example.org", "mail.example.org"] {
        let Lookup::Found(mut addresses) = resolver.addresses(name).await else { panic!("{name} was not found") };
        addresses.sort();
        assert_eq!(addresses, [four, six], "{name}");
    }
    assert_eq!(resolver.addresses("six.example.org").await, Lookup::Found(vec![six]));
    assert_eq!(resolver.addresses("nowhere.example.org").await, Lookup::Absent);
    assert!(matches!(resolver.addresses("failing.example.org").await, Lookup::Failed(_)));
}

#[tokio::test]
async fn host_names_of_address_are_found() {
    let (dns, resolver) = start().await;
    let [four, six] = ["192.0.2.1", "2001:db8::1"].map(|address| address.parse::<std::net::IpAddr>().unwrap());
    dns.pointer(four, "Mail.example.org");
    dns.pointer(six, "mail.example.org");
    assert_eq!(resolver.host_names(four).await, found(&["Mail.example.org"]));
    assert_eq!(resolver.host_names(six).await, found(&["mail.example.org"]));
    assert_eq!(resolver.host_names("192.0.2.2".parse().unwrap()).await, Lookup::Absent);
}

#[tokio::test]
async fn caching_resolver_queries_once() {
    let dns = DnsServer::start().await;
    let resolver = DnsResolver::caching(Some(dns.address())).unwrap();
    dns.mx("example.org", 10, "mx.example.org");
    let first = resolver.mx("example.org").await;
    assert!(matches!(&first, Lookup::Found(hosts) if hosts.len() == 1), "{first:?}");
    dns.remove("example.org");
    assert_eq!(resolver.mx("example.org").await, first);
    // A negative response without an SOA record is not cached.
    assert_eq!(resolver.mx("nowhere.example").await, Lookup::Absent);
    dns.mx("nowhere.example", 10, "mx.example.org");
    assert!(matches!(resolver.mx("nowhere.example").await, Lookup::Found(_)));
}

#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::time::{Duration, Instant};

use inboxd_core::ports::{Dns as _, Lookup, MxHost};
use inboxd_testkit::Dns;

use super::Resolver;

async fn asked() -> (Dns, Resolver) {
    let dns = Dns::start().await;
    let resolver = Resolver::at(dns.address()).unwrap();
    (dns, resolver)
}

fn found(texts: &[&str]) -> Lookup<String> {
    Lookup::Found(texts.iter().map(|&text| text.to_owned()).collect())
}

#[tokio::test]
async fn texts_are_put_together_from_their_strings() {
    let (dns, resolver) = asked().await;
    let long = "x".repeat(400);
    dns.txt("example.org", &long);
    assert_eq!(resolver.txt("example.org").await, found(&[&long]));
}

#[tokio::test]
async fn every_record_of_a_name_is_found_and_no_other() {
    let (dns, resolver) = asked().await;
    dns.txt("example.org", "one");
    dns.txt("example.org", "two");
    dns.txt("a.example.org", "three");
    dns.mx("example.org", 10, "mx.example.org");
    dns.mx("example.org", 20, "MX2.example.net");
    let Lookup::Found(mut texts) = resolver.txt("Example.org").await else { panic!("nothing was found") };
    texts.sort();
    assert_eq!(texts, ["one", "two"]);
    let Lookup::Found(mut hosts) = resolver.mx("example.org").await else { panic!("nothing was found") };
    hosts.sort_by_key(|mx| mx.preference);
    let host = |preference, host: &str| MxHost { preference, host: host.to_owned() };
    assert_eq!(hosts, [host(10, "mx.example.org"), host(20, "MX2.example.net")]);
}

#[tokio::test]
async fn a_wildcard_is_asked_for_by_its_own_name_and_labels_may_begin_with_an_underscore() {
    let (dns, resolver) = asked().await;
    dns.mx("*.example.org", 10, "mx.example.org");
    dns.txt("inboxd._domainkey.example.org", "v=DKIM1");
    assert!(matches!(resolver.mx("*.example.org").await, Lookup::Found(hosts) if hosts.len() == 1));
    assert_eq!(resolver.txt("inboxd._domainkey.example.org").await, found(&["v=DKIM1"]));
}

#[tokio::test]
async fn no_name_and_no_such_records_are_absent() {
    let (dns, resolver) = asked().await;
    dns.txt("example.org", "one");
    assert_eq!(resolver.mx("example.org").await, Lookup::Absent);
    assert_eq!(resolver.txt("nowhere.example.org").await, Lookup::Absent);
}

#[tokio::test]
async fn what_is_no_answer_does_not_deny_a_name() {
    let (dns, resolver) = asked().await;
    dns.refer("referred.example");
    dns.code("unknown.example", 12);
    for number in 0..12 {
        dns.bare_alias(&format!("a{number}.example"), &format!("a{}.example", number + 1));
    }
    for name in ["referred.example", "unknown.example", "a0.example"] {
        let answers = (resolver.mx(name).await, resolver.addresses(name).await);
        assert!(matches!(answers, (Lookup::Failed(_), Lookup::Failed(_))), "{name}: {answers:?}");
    }
    // An alias of a name that is denied is denied.
    dns.bare_alias("short.example", "nowhere.example");
    assert_eq!(resolver.mx("short.example").await, Lookup::Absent);
}

#[tokio::test]
async fn the_root_has_servers() {
    let (_dns, resolver) = asked().await;
    assert!(matches!(resolver.name_servers(".").await, Lookup::Found(names) if !names.is_empty()));
}

#[tokio::test]
async fn an_alias_is_followed() {
    let (dns, resolver) = asked().await;
    dns.alias("inboxd._domainkey.example.org", "key.example.net");
    dns.txt("key.example.net", "v=DKIM1");
    assert_eq!(resolver.txt("inboxd._domainkey.example.org").await, found(&["v=DKIM1"]));
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_asked_for_over_tcp() {
    let (dns, resolver) = asked().await;
    let texts: Vec<String> = (0..9).map(|number| format!("{number}{}", "y".repeat(200))).collect();
    for text in &texts {
        dns.txt("example.org", text);
    }
    let Lookup::Found(mut answered) = resolver.txt("example.org").await else { panic!("nothing was found") };
    answered.sort();
    assert_eq!(answered, texts);
}

#[tokio::test]
async fn what_was_mended_a_moment_ago_is_found() {
    let (dns, resolver) = asked().await;
    assert_eq!(resolver.txt("example.org").await, Lookup::Absent);
    dns.txt("example.org", "here");
    assert_eq!(resolver.txt("example.org").await, found(&["here"]));
    dns.forget("example.org");
    assert_eq!(resolver.txt("example.org").await, Lookup::Absent);
}

#[tokio::test]
async fn a_failing_server_says_nothing_about_the_records() {
    let (dns, resolver) = asked().await;
    dns.fail("example.org");
    assert!(matches!(resolver.txt("example.org").await, Lookup::Failed(_)));
}

#[tokio::test]
async fn silence_ends_within_a_bounded_time() {
    let (dns, mut resolver) = asked().await;
    resolver.patience = Duration::from_millis(300);
    dns.silence("example.org");
    let begun = Instant::now();
    assert_eq!(resolver.txt("example.org").await, Lookup::Failed("no answer in time".to_owned()));
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_resolver_that_is_not_there_says_nothing_either() {
    let gone = Dns::start().await.address();
    let resolver = Resolver::at(gone).unwrap();
    assert!(matches!(resolver.mx("example.org").await, Lookup::Failed(_)));
    assert!(matches!(resolver.mx(&"a.".repeat(200)).await, Lookup::Failed(_)), "a name that is none");
}

#[tokio::test]
async fn the_addresses_of_a_host_are_those_of_both_kinds_and_of_its_alias() {
    let (dns, resolver) = asked().await;
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
async fn an_address_is_called_by_its_names() {
    let (dns, resolver) = asked().await;
    let [four, six] = ["192.0.2.1", "2001:db8::1"].map(|address| address.parse::<std::net::IpAddr>().unwrap());
    dns.pointer(four, "Mail.example.org");
    dns.pointer(six, "mail.example.org");
    assert_eq!(resolver.names_of(four).await, found(&["Mail.example.org"]));
    assert_eq!(resolver.names_of(six).await, found(&["mail.example.org"]));
    assert_eq!(resolver.names_of("192.0.2.2".parse().unwrap()).await, Lookup::Absent);
}

#[tokio::test]
async fn one_that_keeps_answers_asks_once() {
    let dns = Dns::start().await;
    let resolver = Resolver::keeping(Some(dns.address())).unwrap();
    dns.mx("example.org", 10, "mx.example.org");
    let first = resolver.mx("example.org").await;
    assert!(matches!(&first, Lookup::Found(hosts) if hosts.len() == 1), "{first:?}");
    dns.forget("example.org");
    assert_eq!(resolver.mx("example.org").await, first);
    // What was denied without a word from the zone is asked for again.
    assert_eq!(resolver.mx("nowhere.example").await, Lookup::Absent);
    dns.mx("nowhere.example", 10, "mx.example.org");
    assert!(matches!(resolver.mx("nowhere.example").await, Lookup::Found(_)));
}

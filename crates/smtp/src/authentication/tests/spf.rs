//! SPF (RFC 7208).

use inboxd_core::model::AuthResult;
use inboxd_core::model::AuthResult::{Fail, Neutral, None, Pass, PermError, SoftFail, TempError};

use super::{AuthBench, mail_from};

/// Returns the SPF result of a client at 192.0.2.1 that sends for a domain.
async fn spf(bench: &AuthBench, domain: &str) -> AuthResult {
    let evidence = bench.ask(&format!("alice@{domain}"), &mail_from("alice@example.org")).await;
    assert_eq!((evidence.spf.domain.as_str(), evidence.spf.of_helo), (domain, false));
    evidence.spf.result
}

#[tokio::test]
async fn record_yields_expected_result() {
    let bench = AuthBench::new().await;
    let cases = [
        ("pass.example", "v=spf1 ip4:192.0.2.0/24 -all", Pass),
        ("fail.example", "v=spf1 ip4:198.51.100.0/24 -all", Fail),
        ("softfail.example", "v=spf1 ~all", SoftFail),
        ("neutral.example", "v=spf1 ?all", Neutral),
        ("silent-end.example", "v=spf1 ip4:198.51.100.1", Neutral),
        ("broken.example", "v=spf1 ip4:999.0.2.1 -all", PermError),
        ("unknown.example", "v=spf1 ipv4:192.0.2.1 -all", PermError),
        ("empty.example", "v=spf1 include -all", PermError),
        ("all-terms.example", "v=spf1 a/24 mx:nowhere.example//64 ptr ip6:2001:db8::/32 x=y exp=e.example +all", Pass),
        ("other.example", "v=spf10 -all", None),
        ("include.example", "v=spf1 include:pass.example -all", Pass),
        ("include-fail.example", "v=spf1 include:fail.example ~all", SoftFail),
        ("include-none.example", "v=spf1 include:nowhere.example -all", PermError),
        ("redirect.example", "v=spf1 redirect=fail.example", Fail),
        ("redirect-none.example", "v=spf1 redirect=nowhere.example", PermError),
        ("a.example", "v=spf1 a:host.example -all", Pass),
        ("mx.example", "v=spf1 mx -all", Pass),
        ("exists.example", "v=spf1 exists:%{i}.list.example -all", Pass),
        ("void.example", "v=spf1 a:void1.example a:void2.example -all", Fail),
        ("void-three.example", "v=spf1 a:void1.example a:void2.example a:void3.example -all", PermError),
        ("pointer.example", "v=spf1 ptr:named.example -all", Pass),
        ("include-temp.example", "v=spf1 include:failing.example -all", TempError),
    ];
    for (domain, record, _) in cases {
        bench.dns.txt(domain, record);
    }
    bench.dns.host("host.example", "192.0.2.1".parse().unwrap());
    bench.dns.host("client.named.example", "192.0.2.1".parse().unwrap());
    bench.dns.pointer("192.0.2.1".parse().unwrap(), "client.named.example");
    bench.dns.mx("mx.example", 10, "host.example");
    bench.dns.host("192.0.2.1.list.example", "127.0.0.2".parse().unwrap());
    bench.dns.fail("failing.example");
    for (domain, record, wanted) in cases {
        assert_eq!(spf(&bench, domain).await, wanted, "{domain}: {record}");
    }
    assert_eq!(spf(&bench, "nowhere.example").await, None);
    assert_eq!(spf(&bench, "failing.example").await, TempError);
}

#[tokio::test]
async fn several_records_or_too_many_lookups_are_permerror() {
    let bench = AuthBench::new().await;
    bench.dns.txt("two.example", "v=spf1 ip4:192.0.2.1 -all");
    bench.dns.txt("two.example", "v=spf1 -all");
    bench.dns.txt("two.example", "something else");
    assert_eq!(spf(&bench, "two.example").await, PermError);
    for number in 0..12 {
        bench.dns.txt(&format!("chain{number}.example"), &format!("v=spf1 include:chain{}.example -all", number + 1));
    }
    bench.dns.txt("chain12.example", "v=spf1 +all");
    assert_eq!(spf(&bench, "chain0.example").await, PermError);
    assert_eq!(spf(&bench, "chain4.example").await, Pass, "eight lookups are within the limit");
    bench.dns.txt("self.example", "v=spf1 include:self.example -all");
    assert_eq!(spf(&bench, "self.example").await, PermError);
}

#[tokio::test]
async fn null_sender_is_checked_by_helo() {
    let bench = AuthBench::new().await;
    bench.dns.txt("mx.client.example", "v=spf1 ip4:192.0.2.1 -all");
    let raw = mail_from("mailer-daemon@mx.client.example");
    let spf = bench.ask("", &raw).await.spf;
    assert_eq!((spf.result, spf.domain.as_str(), spf.of_helo), (Pass, "mx.client.example", true));
    let spf = bench.ask_of("192.0.2.2", "MX.client.example.", "", &raw).await.spf;
    assert_eq!((spf.result, spf.domain.as_str(), spf.of_helo), (Fail, "mx.client.example", true));
    for helo in ["[192.0.2.1]", "localhost", "", "not a name"] {
        assert_eq!(bench.ask_of("192.0.2.1", helo, "", &raw).await.spf.result, None, "{helo}");
    }
}

#[tokio::test]
async fn ipv4_and_ipv6_clients_are_checked() {
    let bench = AuthBench::new().await;
    bench.dns.txt("six.example", "v=spf1 ip6:2001:db8::/32 -all");
    bench.dns.txt("four.example", "v=spf1 ip4:192.0.2.1 -all");
    let raw = mail_from("alice@six.example");
    let cases = [
        ("2001:db8::1", "alice@six.example", Pass),
        ("2001:db9::1", "alice@six.example", Fail),
        ("::ffff:192.0.2.1", "alice@four.example", Pass),
        ("127.0.0.1", "alice@four.example", Fail),
    ];
    for (ip, sender, wanted) in cases {
        assert_eq!(bench.ask_of(ip, "mx.client.example", sender, &raw).await.spf.result, wanted, "{ip} {sender}");
    }
}

#[tokio::test]
async fn silent_server_yields_temperror_for_spf() {
    let bench = AuthBench::new().await.impatient();
    bench.dns.silence("silent.example");
    bench.dns.txt("behind.example", "v=spf1 include:silent.example -all");
    assert_eq!(spf(&bench, "silent.example").await, TempError);
    assert_eq!(spf(&bench, "behind.example").await, TempError);
}

#[tokio::test]
async fn internationalized_sender_is_checked_as_a_labels() {
    let bench = AuthBench::new().await;
    bench.dns.txt("xn--bcher-kva.example", "v=spf1 exists:%{l}.%{d}.list.example -all");
    bench.dns.host("alice.xn--bcher-kva.example.list.example", "127.0.0.2".parse().unwrap());
    bench.dns.txt("_dmarc.xn--bcher-kva.example", "v=DMARC1; p=reject");
    for sender in ["alice@b\u{fc}cher.example", "alice@B\u{dc}CHER.example", "alice@xn--bcher-kva.example"] {
        let evidence = bench.ask(sender, &mail_from("alice@b\u{fc}cher.example")).await;
        assert_eq!((evidence.spf.result, &*evidence.spf.domain), (Pass, "xn--bcher-kva.example"), "{sender}");
        assert_eq!(evidence.dmarc.aligned_domain.as_deref(), Some("xn--bcher-kva.example"), "{sender}");
    }
    let evidence = bench.ask("bob@b\u{fc}cher.example", &mail_from("bob@b\u{fc}cher.example")).await;
    assert_eq!((evidence.spf.result, evidence.dmarc.result), (Fail, Fail));
}

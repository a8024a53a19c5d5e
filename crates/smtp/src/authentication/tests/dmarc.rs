//! DMARC (RFC 7489, 9989).

use inboxd_core::model::AuthResult::{Fail, None, Pass, TempError};
use inboxd_core::ports::{DmarcEvidence, DmarcPolicy};

use super::signed::{record, signed};
use super::{AuthBench, mail_from};

/// Returns a bench where example.org has this policy. It permits 192.0.2.1 and has a key, as do mail.example.org and
/// example.net.
async fn bench(policy: &str) -> AuthBench {
    let bench = AuthBench::new().await;
    bench.dns.txt("_dmarc.example.org", policy);
    for domain in ["example.org", "mail.example.org", "example.net"] {
        bench.dns.txt(domain, "v=spf1 ip4:192.0.2.1 -all");
        bench.dns.txt(&format!("one._domainkey.{domain}"), &record().await);
    }
    bench
}

async fn dmarc(bench: &AuthBench, envelope: &str, from: &str) -> DmarcEvidence {
    bench.ask(envelope, &mail_from(from)).await.dmarc
}

#[tokio::test]
async fn unaligned_message_fails_with_requested_policy() {
    let cases = [
        ("v=DMARC1; p=none", DmarcPolicy::None),
        ("v=DMARC1; p=quarantine", DmarcPolicy::Quarantine),
        ("v=DMARC1; p=reject", DmarcPolicy::Reject),
        ("v=DMARC1; p=reject; pct=0", DmarcPolicy::Reject),
        ("v=DMARC1; p=none; sp=reject", DmarcPolicy::None),
    ];
    for (policy, wanted) in cases {
        let found = dmarc(&bench(policy).await, "bounces@example.net", "alice@example.org").await;
        assert_eq!((found.result, found.policy), (Fail, wanted), "{policy}");
        assert_eq!((found.from_domain.as_deref(), found.aligned_domain), (Some("example.org"), Option::None));
    }
}

#[tokio::test]
async fn subdomain_without_policy_uses_subdomain_policy() {
    let bench = bench("v=DMARC1; p=reject; sp=quarantine").await;
    bench.dns.txt("_dmarc.own.example.org", "v=DMARC1; p=none");
    for (from, wanted) in [
        ("alice@example.org", DmarcPolicy::Reject),
        ("alice@mail.example.org", DmarcPolicy::Quarantine),
        ("alice@a.b.c.example.org", DmarcPolicy::Quarantine),
        ("alice@own.example.org", DmarcPolicy::None),
    ] {
        let found = dmarc(&bench, "bounces@example.net", from).await;
        assert_eq!((found.result, found.policy), (Fail, wanted), "{from}");
    }
}

#[tokio::test]
async fn strict_alignment_requires_equal_spf_domain() {
    let relaxed = bench("v=DMARC1; p=reject").await;
    let strict = bench("v=DMARC1; p=reject; aspf=s").await;
    for (envelope, from, relaxed_result, strict_result) in [
        ("alice@example.org", "alice@example.org", Pass, Pass),
        ("alice@example.org", "alice@EXAMPLE.org", Pass, Pass),
        ("b@mail.example.org", "alice@example.org", Pass, Fail),
        ("b@example.org", "alice@sub.example.org", Pass, Fail),
        ("b@example.net", "alice@example.org", Fail, Fail),
        ("b@notexample.org", "alice@example.org", Fail, Fail),
    ] {
        for (bench, wanted) in [(&relaxed, relaxed_result), (&strict, strict_result)] {
            let found = dmarc(bench, envelope, from).await;
            assert_eq!(found.result, wanted, "{envelope} for {from}");
            let spoke = envelope.split_once('@').map(|(_, domain)| domain.to_owned());
            assert_eq!(found.aligned_domain, spoke.filter(|_| wanted == Pass));
        }
    }
}

#[tokio::test]
async fn one_aligned_signature_passes() {
    let relaxed = bench("v=DMARC1; p=reject").await;
    let strict = bench("v=DMARC1; p=reject; adkim=s").await;
    let raw = mail_from("alice@example.org");
    let foreign = signed("example.net", "one", &raw).await;
    let below = signed("mail.example.org", "one", &foreign).await;
    let own = signed("example.net", "one", &signed("example.org", "one", &foreign).await).await;
    for (mail, relaxed_result, strict_result) in [
        (&foreign, (Fail, Option::None), (Fail, Option::None)),
        (&below, (Pass, Some("mail.example.org")), (Fail, Option::None)),
        (&own, (Pass, Some("example.org")), (Pass, Some("example.org"))),
    ] {
        for (bench, wanted) in [(&relaxed, relaxed_result), (&strict, strict_result)] {
            let found = bench.ask("b@unknown.example", mail).await.dmarc;
            assert_eq!((found.result, found.aligned_domain.as_deref()), wanted);
        }
    }
}

#[tokio::test]
async fn domain_without_policy_does_not_fail() {
    let bench = bench("v=DMARC1; p=reject").await;
    bench.dns.txt("_dmarc.two.example", "v=DMARC1; p=reject");
    bench.dns.txt("_dmarc.two.example", "v=DMARC1; p=none");
    bench.dns.txt("_dmarc.other.example", "v=spf1 -all");
    for from in ["a@nowhere.example", "a@two.example", "a@other.example", "a@localhost"] {
        assert_eq!(dmarc(&bench, "b@example.net", from).await.result, None, "{from}");
    }
    // A record below another domain does not affect the policy of example.org.
    bench.dns.txt("example.org._dmarc.evil.example", "v=DMARC1; p=none");
    assert_eq!(dmarc(&bench, "b@example.net", "a@example.org").await.policy, DmarcPolicy::Reject);
}

#[tokio::test]
async fn unanswered_policy_lookup_is_temperror() {
    let bench = bench("v=DMARC1; p=reject").await.impatient();
    bench.dns.silence("_dmarc.silent.example");
    bench.dns.fail("_dmarc.failing.example");
    bench.dns.silence("spf.example.org");
    bench.dns.silence("silent._domainkey.example.org");
    for (envelope, from, policy) in [
        ("b@example.net", "a@silent.example", DmarcPolicy::Unanswered),
        ("b@example.net", "a@failing.example", DmarcPolicy::Unanswered),
        ("b@spf.example.org", "a@example.org", DmarcPolicy::Reject),
    ] {
        let found = dmarc(&bench, envelope, from).await;
        assert_eq!((found.result, found.policy), (TempError, policy), "{envelope} for {from}");
    }
    let silent_key = signed("example.org", "silent", &mail_from("a@example.org")).await;
    let found = bench.ask("b@example.net", &silent_key).await.dmarc;
    assert_eq!((found.result, found.policy), (TempError, DmarcPolicy::Reject));
}

#[tokio::test]
async fn silent_foreign_server_does_not_hide_failure() {
    let bench = bench("v=DMARC1; p=reject").await.impatient();
    for name in ["silent.example", "one._domainkey.silent.example", "_dmarc.silent.example", "_dmarc.example.net"] {
        bench.dns.silence(name);
    }
    let raw = signed("silent.example", "one", &mail_from("ceo@example.org")).await;
    let raw = signed("example.net", "one", &raw).await;
    let evidence = bench.ask("b@silent.example", &raw).await;
    assert_eq!((evidence.dmarc.result, evidence.dmarc.policy), (Fail, DmarcPolicy::Reject), "{evidence:?}");
    // A record that SPF queried is not used as a policy.
    bench.dns.txt("poison.example", "v=spf1 include:_dmarc.example.org redirect=_dmarc.org ~all");
    let found = dmarc(&bench, "b@poison.example", "ceo@example.org").await;
    assert_eq!((found.result, found.policy), (Fail, DmarcPolicy::Reject));
}

#[tokio::test]
async fn invalid_subdomain_does_not_hide_parent_policy() {
    let bench = bench("v=DMARC1; p=reject; sp=reject").await;
    bench.dns.txt("_dmarc.broken.example.org", "v=DMARC1; p=nonsense");
    let long = "a".repeat(64);
    let many = "a.".repeat(150);
    for below in ["pay!", "pay(1)", "b\u{fc}cher\u{fffd}", "pay.", &long, "broken", many.trim_end_matches('.')] {
        let from = format!("ceo@{below}.example.org");
        let found = dmarc(&bench, "b@example.net", &from).await;
        let is_caught = found.result == Fail && (found.policy == DmarcPolicy::Reject || found.from_domain.is_none());
        assert!(is_caught, "{from}: {found:?}");
    }
}

#[tokio::test]
async fn malformed_optional_tags_leave_the_policy() {
    for record in ["v=DMARC1; p=reject; adkim=relaxed", "v=DMARC1; p=reject; fo=x", "v=DMARC1; word; p=reject"] {
        let bench = bench(record).await;
        let found = dmarc(&bench, "b@example.net", "ceo@example.org").await;
        assert_eq!((found.result, found.policy), (Fail, DmarcPolicy::Reject), "{record}");
    }
}

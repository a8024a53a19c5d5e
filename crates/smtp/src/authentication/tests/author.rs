//! Author domain of a message.

use inboxd_core::model::AuthResult;
use inboxd_core::model::AuthResult::{Fail, Pass};

use mail_auth::AuthenticatedMessage;

use super::{AuthBench, mail_from};
use crate::authentication::author::MessageAuthor;

fn author(raw: &[u8]) -> MessageAuthor {
    crate::authentication::author::author(raw, &AuthenticatedMessage::parse(raw).unwrap_or_default())
}

#[test]
fn single_from_domain_is_author() {
    for (from, wanted) in [
        ("From: alice@example.org", "example.org"),
        ("From: Alice <alice@EXAMPLE.org>", "example.org"),
        ("from : Alice\r\n <alice@example.org>", "example.org"),
        ("From: alice@example.org, Bob <bob@example.org>", "example.org"),
        ("From: \"ceo@bank.example\" <alice@example.org>", "example.org"),
        ("From: ceo@bank.example <alice@example.org>", "example.org"),
        ("From: =?utf-8?q?ceo=40bank.example?= <alice@example.org>", "example.org"),
        ("From: alice@bücher.example", "xn--bcher-kva.example"),
        ("To: a@b.example\r\nFrom: alice@example.org", "example.org"),
        ("From: The team: a@example.org, b@example.org;", "example.org"),
    ] {
        assert_eq!(author(format!("{from}\r\n\r\nbody").as_bytes()).domain(), Some(wanted), "{from}");
    }
}

#[test]
fn missing_or_several_from_domains_are_no_author() {
    let author_of = |head: &str| author(format!("{head}\r\n\r\nFrom: b@example.org").as_bytes());
    for from in ["Subject: no author", "From:", "From: Alice", "From: <>", "From: alice@"] {
        assert_eq!(author_of(from), MessageAuthor::Missing, "{from}");
    }
    for from in [
        "From: alice@example.org\r\nFrom: alice@example.org",
        "From: alice@example.org\r\nfrom: mallory@evil.example",
        "From: mallory@evil.example\r\nSubject: s\r\nFrom : alice@example.org",
        "From: alice@example.org, mallory@evil.example",
        "From: a: alice@example.org; mallory@evil.example",
    ] {
        assert_eq!(author_of(from), MessageAuthor::Ambiguous, "{from}");
    }
    // A name of many labels would make a long tree walk.
    let long = format!("From: ceo@{}bank.example", "a.".repeat(600));
    assert_eq!(author_of(&long), MessageAuthor::Ambiguous);
    assert_eq!(author(b""), MessageAuthor::Missing);
    assert_eq!(author(b"no mail at all"), MessageAuthor::Missing);
}

#[tokio::test]
async fn several_authors_fail_dmarc() {
    let bench = AuthBench::new().await;
    bench.dns.txt("example.org", "v=spf1 ip4:192.0.2.1 -all");
    bench.dns.txt("_dmarc.example.org", "v=DMARC1; p=none");
    let single = bench.ask("alice@example.org", &mail_from("alice@example.org")).await;
    assert_eq!(single.dmarc.result, Pass);
    for from in ["alice@example.org, b@example.net", "alice@example.org\r\nFrom: alice@example.org"] {
        let dmarc = bench.ask("alice@example.org", &mail_from(from)).await.dmarc;
        assert_eq!((dmarc.result, dmarc.from_domain, dmarc.aligned_domain), (Fail, None, None), "{from}");
    }
    let nothing = bench.ask("alice@example.org", "").await;
    assert_eq!((nothing.spf.result, nothing.dmarc.result), (Pass, AuthResult::None));
}

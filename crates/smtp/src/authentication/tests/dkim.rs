//! DKIM signatures (RFC 6376).

use inboxd_core::model::AuthResult::{Fail, Neutral, Pass, PermError, Policy, TempError};
use inboxd_testkit::eventually;

use super::signed::{record, signed, signed_by_ed25519, signed_simply, signer, with};
use super::{AuthBench, mail_from};

const KEY: &str = "one._domainkey.example.org";

/// Returns a bench whose DNS has the key of `example.org`.
async fn bench() -> AuthBench {
    let bench = AuthBench::new().await;
    bench.dns.txt(KEY, &record().await);
    bench
}

#[tokio::test]
async fn valid_signature_passes_with_domain_and_selector() {
    let bench = bench().await;
    let raw = mail_from("alice@example.org");
    for mail in [signed("example.org", "one", &raw).await, signed_simply("example.org", "one", &raw).await] {
        let evidence = bench.ask("alice@example.org", &mail).await;
        let [signature] = evidence.dkim.as_slice() else { panic!("{evidence:?}") };
        assert_eq!((signature.result, &*signature.domain, &*signature.selector), (Pass, "example.org", "one"));
    }
    let (mail, record) = signed_by_ed25519("example.org", "two", &raw);
    bench.dns.txt("two._domainkey.example.org", &record);
    assert_eq!(bench.dkim(&mail).await, [Pass]);
    assert_eq!(bench.dkim(&raw).await, [], "there is none");
}

#[tokio::test]
async fn changed_message_fails() {
    let bench = bench().await;
    let raw = mail_from("alice@example.org");
    let (relaxed, simple) = (signed("example.org", "one", &raw).await, signed_simply("example.org", "one", &raw).await);
    for mail in [&relaxed, &simple] {
        for (from, to) in [("Is this", "Was this"), ("A  question", "An answer"), ("alice@", "mallory@")] {
            assert_eq!(bench.dkim(&mail.replacen(from, to, 1)).await, [Fail], "{from} became {to}");
        }
        assert_eq!(bench.dkim(&format!("{mail}more\r\n")).await, [Fail], "something was added");
    }
    // Relaxed canonicalization permits changes of white space.
    let respaced = relaxed.replacen("A  question", "A question", 1).replacen("this  a", "this a", 1);
    assert_eq!(bench.dkim(&respaced).await, [Pass]);
    let respaced = simple.replacen("A  question", "A question", 1);
    assert_eq!(bench.dkim(&respaced).await, [Fail]);
}

#[tokio::test]
async fn unusable_key_decides_result() {
    let bench = bench().await;
    bench.dns.txt("revoked._domainkey.example.org", "v=DKIM1; k=rsa; p=");
    bench.dns.txt("nonsense._domainkey.example.org", "v=DKIM1; k=rsa; p=AAAA");
    bench.dns.txt("other._domainkey.example.org", "v=spf1 -all");
    bench.dns.fail("failing._domainkey.example.org");
    let raw = mail_from("alice@example.org");
    let cases = [
        ("one", Pass),
        ("missing", PermError),
        ("revoked", PermError),
        ("other", PermError),
        ("nonsense", Fail),
        ("failing", TempError),
    ];
    for (selector, wanted) in cases {
        assert_eq!(bench.dkim(&signed("example.org", selector, &raw).await).await, [wanted], "{selector}");
    }
    assert_eq!(bench.dkim(&signed("example.net", "one", &raw).await).await, [PermError], "another domain");
}

#[tokio::test]
async fn silent_key_server_does_not_affect_other_signatures() {
    let bench = bench().await.impatient();
    bench.dns.silence("silent._domainkey.example.net");
    let raw = signed("example.org", "one", &mail_from("alice@example.org")).await;
    let raw = signed("example.net", "silent", &raw).await;
    assert_eq!(bench.dkim(&raw).await, [TempError, Pass]);
}

#[tokio::test]
async fn incomplete_signature_does_not_pass() {
    let bench = bench().await;
    let raw = mail_from("alice@example.org");
    let partly = with(&signer("example.org", "one").await.body_length(true), &raw);
    assert_eq!(bench.dkim(&partly).await, [Policy], "a part of the body");
    let headless = signer("example.org", "one").await;
    let headless = with(
        &mail_auth::dkim::DkimSigner::from_key(super::signed::rsa_key().await)
            .domain(headless.template.d.clone())
            .selector("one")
            .headers(["To", "Subject"]),
        &raw,
    );
    assert_eq!(bench.dkim(&headless).await, [PermError], "without From");
    for unread in ["", "v=2; a=rsa-sha256", "nonsense", "v=1; a=rsa-sha256; d=example.org; s=one; b=!; bh=!; h=From"] {
        assert_eq!(bench.dkim(&format!("DKIM-Signature: {unread}\r\n{raw}")).await, [Neutral], "{unread}");
    }
}

#[tokio::test]
async fn expired_signature_fails() {
    let bench = bench().await;
    let mail = with(&signer("example.org", "one").await.expiration(1), &mail_from("alice@example.org"));
    eventually("it has expired", async || (bench.dkim(&mail).await == [Fail]).then_some(())).await;
}

#[tokio::test]
async fn number_of_verified_signatures_is_bounded() {
    let bench = bench().await;
    let mut mail = mail_from("alice@example.org");
    for number in 0..14 {
        mail = signed("example.org", if number == 13 { "one" } else { "missing" }, &mail).await;
    }
    let results = bench.dkim(&mail).await;
    assert_eq!((results.len(), results[0]), (10, Pass));
    let unread = "DKIM-Signature: nonsense\r\n".repeat(14);
    assert_eq!(bench.dkim(&format!("{unread}{}", mail_from("alice@example.org"))).await.len(), 10);
}

/// Returns a list of so many names: From, and names of absent fields.
fn names(number: usize) -> Vec<String> {
    std::iter::once("From".to_owned()).chain((1..number).map(|number| format!("X-{number}"))).collect()
}

#[tokio::test]
async fn signature_with_too_many_names_is_permerror() {
    let bench = bench().await;
    let raw = mail_from("alice@example.org");
    let signed_names = async |number: usize, raw: &str| {
        let key = super::signed::rsa_key().await;
        let signer = mail_auth::dkim::DkimSigner::from_key(key).domain("example.org").selector("one");
        with(&signer.headers(names(number)), raw)
    };
    assert_eq!(bench.dkim(&signed_names(100, &raw).await).await, [Pass], "many");
    assert_eq!(bench.dkim(&signed_names(101, &raw).await).await, [PermError], "too many");
    // The body hash is right and the key exists, so only the number of names prevents verification.
    let small = signed("example.org", "one", &raw).await;
    let with_names = |number| small.replacen("h=", &format!("h={}:", names(number).join(":")), 1);
    let evidence = bench.ask("alice@example.org", &with_names(200_000)).await.dkim;
    assert_eq!((evidence.len(), evidence[0].result, &*evidence[0].domain), (1, PermError, "example.org"));
    // The other signature is still verified.
    let large = with_names(50_000);
    let (above, _) = large.split_at(large.len() - raw.len());
    assert_eq!(bench.dkim(&format!("{above}{small}")).await, [Pass, PermError]);
}

#[tokio::test]
async fn message_with_too_many_fields_is_permerror() {
    let bench = bench().await;
    let mail = signed("example.org", "one", &mail_from("alice@example.org")).await;
    let crowded = |number: usize| format!("{}{mail}", "X-Filler: x\r\n".repeat(number));
    assert_eq!(bench.dkim(&crowded(1900)).await, [Pass], "many");
    assert_eq!(bench.dkim(&crowded(200_000)).await, [PermError], "too many");
    assert_eq!(bench.dkim(&format!("X-Filler: {}\r\n{mail}", "x".repeat(1024 * 1024))).await, [PermError], "too large");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn multi_thread_runtime_verifies_signature() {
    let bench = bench().await;
    let mail = signed("example.org", "one", &mail_from("alice@example.org")).await;
    assert_eq!(bench.dkim(&mail).await, [Pass]);
}

#[tokio::test]
async fn signing_domain_is_reported_as_a_labels() {
    let bench = bench().await;
    bench.dns.txt("one._domainkey.xn--bank-epa.example", &record().await);
    bench.dns.txt("_dmarc.xn--bank-epa.example", "v=DMARC1; p=reject");
    let raw = mail_from("ceo@xn--bank-epa.example");
    let evidence = bench.ask("b@unknown.example", &signed("bank\u{e9}.example", "one", &raw).await).await;
    assert_eq!((evidence.dkim[0].result, &*evidence.dkim[0].domain), (Pass, "xn--bank-epa.example"));
    assert_eq!(evidence.dmarc.aligned_domain.as_deref(), Some("xn--bank-epa.example"));
}

#[tokio::test]
async fn duplicate_field_above_signed_field_is_policy() {
    let bench = bench().await;
    let mail = signed("example.org", "one", &mail_from("alice@example.org")).await;
    for added in [
        "Subject: Pay now",
        "subject : Pay now",
        "To: everybody@here.example",
        "Date: Mon, 23 Nov 2026 10:00:00 +0000",
        "Message-ID: <2@example.org>",
        "Content-Type: text/html\r\nContent-Type: text/plain",
    ] {
        assert_eq!(bench.dkim(&format!("{added}\r\n{mail}")).await, [Policy], "{added}");
    }
    for added in
        ["Received: from a by b", "List-Id: <list.example>", "Content-Type: text/plain", "X-Twice: 1\r\nX-Twice: 2"]
    {
        assert_eq!(bench.dkim(&format!("{added}\r\n{mail}")).await, [Pass], "{added}");
    }
    // A signature that lists a name for each of its fields covers all of them.
    let twice = format!("Subject: One\r\n{}", mail_from("alice@example.org"));
    assert_eq!(bench.dkim(&signed("example.org", "one", &twice).await).await, [Pass]);
}

/// RFC 8463, appendix A: one message with a signature of each kind, and the keys of both.
#[tokio::test]
async fn published_example_passes_with_both_keys() {
    let bench = AuthBench::new().await;
    let raw = include_str!("rfc8463.eml").replace('\n', "\r\n");
    bench.dns.txt(
        "brisbane._domainkey.football.example.com",
        "v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
    );
    bench.dns.txt(
        "test._domainkey.football.example.com",
        "v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDkHlOQoBTzWRiGs5V6NpP3idY6Wk08a5qhdR6wy5bdOKb2jLQiY/J16JYi0Qvx/\
         byYzCNb3W91y3FutACDfzwQ/BC/e/8uBsCR+yz1Lxj+PL6lHvqMKrM3rG4hstT5QjvHO9PzoxZyVYLzBfO2EeC3Ip3G+2kryOTIKT+l/K4w3QIDAQAB",
    );
    assert_eq!(bench.dkim(&raw).await, [Pass, Pass]);
    assert_eq!(bench.dkim(&raw.replace("hungry", "thirsty")).await, [Fail, Fail]);
}

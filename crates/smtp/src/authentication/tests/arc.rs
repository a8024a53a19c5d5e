//! ARC chains (RFC 8617).

use inboxd_core::model::AuthResult;
use inboxd_core::model::AuthResult::{Fail, Pass, TempError};
use mail_auth::arc::ArcSealer;
use mail_auth::common::headers::HeaderWriter as _;
use mail_auth::{AuthenticatedMessage, AuthenticationResults};

use super::signed::{record, rsa_key};
use super::{AuthBench, mail_from};

/// Returns the message as a mailing list forwards it with an ARC set.
async fn sealed(bench: &AuthBench, domain: &str, raw: &str) -> String {
    let message = AuthenticatedMessage::parse(raw.as_bytes()).unwrap();
    let chain = bench.authenticator.verifier.verify_arc(&message).await;
    let results = AuthenticationResults::new("list.example");
    let sealer = ArcSealer::from_key(rsa_key().await).domain(domain).selector("one").headers(["From", "Subject"]);
    let set = sealer.seal(&message, &results, &chain).unwrap();
    format!("{}{raw}", set.to_header())
}

async fn bench() -> AuthBench {
    let bench = AuthBench::new().await;
    for domain in ["list.example", "second.example"] {
        bench.dns.txt(&format!("one._domainkey.{domain}"), &record().await);
    }
    bench
}

async fn arc(bench: &AuthBench, raw: &str) -> Option<AuthResult> {
    bench.ask("b@unknown.example", raw).await.arc
}

#[tokio::test]
async fn unchanged_chain_passes() {
    let bench = bench().await;
    let raw = mail_from("alice@example.org");
    assert_eq!(arc(&bench, &raw).await, None);
    let once = sealed(&bench, "list.example", &raw).await;
    let twice = sealed(&bench, "second.example", &once).await;
    assert_eq!((arc(&bench, &once).await, arc(&bench, &twice).await), (Some(Pass), Some(Pass)));
    assert_eq!(arc(&bench, &twice.replacen("Is this", "Was this", 1)).await, Some(Fail));
    assert_eq!(arc(&bench, &format!("ARC-Seal: nonsense\r\n{raw}")).await, Some(Fail));
    assert_eq!(arc(&bench, &sealed(&bench, "unknown.example", &raw).await).await, Some(Fail), "without a key");
}

#[tokio::test]
async fn valid_chain_does_not_pass_dmarc() {
    let bench = bench().await;
    bench.dns.txt("_dmarc.example.org", "v=DMARC1; p=reject");
    let mail = sealed(&bench, "list.example", &mail_from("alice@example.org")).await;
    let evidence = bench.ask("b@list.example", &mail).await;
    assert_eq!((evidence.arc, evidence.dmarc.result, evidence.dmarc.aligned_domain), (Some(Pass), Fail, None));
    assert!(evidence.dkim.is_empty(), "a seal is not a signature");
}

#[tokio::test]
async fn silent_key_server_yields_temperror_for_chain() {
    let bench = bench().await.impatient();
    bench.dns.silence("one._domainkey.silent.example");
    let mail = sealed(&bench, "silent.example", &mail_from("alice@example.org")).await;
    assert_eq!(arc(&bench, &mail).await, Some(TempError));
}

#[tokio::test]
async fn oversized_chain_fails() {
    let bench = bench().await;
    let mail = sealed(&bench, "list.example", &mail_from("alice@example.org")).await;
    let crowded = |number: usize| format!("{}{mail}", "X-Filler: x\r\n".repeat(number));
    assert_eq!(arc(&bench, &crowded(1900)).await, Some(Pass));
    assert_eq!(arc(&bench, &crowded(200_000)).await, Some(Fail));
    let names = "X-Name:".repeat(50_000);
    assert_eq!(arc(&bench, &mail.replacen("h=", &format!("h={names}"), 1)).await, Some(Fail));
    let (_, without_seal) = mail.split_once("\r\nARC-").unwrap();
    assert_eq!(arc(&bench, &format!("ARC-{without_seal}")).await, Some(Fail), "a part is missing");
}

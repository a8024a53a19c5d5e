//! Signing of test messages.

use std::sync::OnceLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use inboxd_core::ports::{KeyMaker as _, KeyPair};
use mail_auth::common::crypto::{Ed25519Key, RsaKey, Sha256};
use mail_auth::common::headers::HeaderWriter as _;
use mail_auth::dkim::{Canonicalization, DkimSigner, Done};
use rustls::pki_types::PrivatePkcs8KeyDer;

use crate::signing::RsaKeyMaker;

/// Returns a shared key pair, because its generation is slow.
pub(super) async fn pair() -> &'static KeyPair {
    static PAIR: OnceLock<KeyPair> = OnceLock::new();
    if PAIR.get().is_none() {
        let _ = PAIR.set(RsaKeyMaker.rsa_2048().await.unwrap());
    }
    PAIR.get().unwrap()
}

/// Returns the DNS record of the key pair.
pub(super) async fn record() -> String {
    format!("v=DKIM1; k=rsa; p={}", STANDARD.encode(&pair().await.public))
}

pub(super) async fn rsa_key() -> RsaKey<Sha256> {
    RsaKey::from_key_der(PrivatePkcs8KeyDer::from(pair().await.private.as_slice()).into()).unwrap()
}

pub(super) async fn signer(domain: &str, selector: &str) -> DkimSigner<RsaKey<Sha256>, Done> {
    let headers = ["From", "To", "Subject", "Date", "Message-ID"];
    DkimSigner::from_key(rsa_key().await).domain(domain).selector(selector).headers(headers)
}

/// Returns the message with a signature, relaxed for header and body.
pub(super) async fn signed(domain: &str, selector: &str, raw: &str) -> String {
    with(&signer(domain, selector).await, raw)
}

/// Returns the message with a signature, simple for header and body.
pub(super) async fn signed_simply(domain: &str, selector: &str, raw: &str) -> String {
    let signer = signer(domain, selector).await;
    let simple = signer.header_canonicalization(Canonicalization::Simple);
    with(&simple.body_canonicalization(Canonicalization::Simple), raw)
}

/// Returns the message with a signature of this signer.
pub(super) fn with(signer: &DkimSigner<RsaKey<Sha256>, Done>, raw: &str) -> String {
    format!("{}{raw}", signer.sign(raw.as_bytes()).unwrap().to_header())
}

/// Returns the message with a signature by a new Ed25519 key, and the record of the key.
pub(super) fn signed_by_ed25519(domain: &str, selector: &str, raw: &str) -> (String, String) {
    let key = Ed25519Key::from_pkcs8_maybe_unchecked_der(&Ed25519Key::generate_pkcs8().unwrap()).unwrap();
    let record = format!("v=DKIM1; k=ed25519; p={}", STANDARD.encode(key.public_key()));
    let signer = DkimSigner::from_key(key).domain(domain).selector(selector).headers(["From", "To", "Subject"]);
    (format!("{}{raw}", signer.sign(raw.as_bytes()).unwrap().to_header()), record)
}

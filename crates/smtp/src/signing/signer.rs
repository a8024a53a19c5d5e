//! DKIM signer: RSA-SHA256, relaxed header and body canonicalization.
//!
//! Every receiver verifies this combination, and most relays preserve it.

use std::sync::Arc;

use async_trait::async_trait;
use aws_lc_rs::digest::{SHA256, digest};
use inboxd_core::model::OutgoingId;
use inboxd_core::ports::{NotSigned, SignedBy, Signer};
use inboxd_mail::header_values;
use mail_auth::common::crypto::{Algorithm, RsaKey, Sha256, SigningKey};
use mail_auth::common::headers::{HeaderWriter as _, Writable};
use moka::sync::Cache;
use rustls::pki_types::PrivatePkcs8KeyDer;

/// Fields that a reader sees or that control display. Each is listed once more than it occurs, so an added field breaks
/// the signature (RFC 6376, section 8.15).
const OVERSIGNED_FIELDS: [&str; 9] =
    ["From", "Reply-To", "To", "Cc", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type"];
/// Fields that are signed if present. Fields that forwarders add, such as List-Id and List-Unsubscribe of mailing
/// lists, do not break the signature.
const SIGNED_FIELDS: [&str; 5] =
    ["In-Reply-To", "References", "List-Unsubscribe", "List-Unsubscribe-Post", "Auto-Submitted"];
/// Number of cached keys.
const MAX_CACHED_KEYS: u64 = 256;

type RsaSigningKey = RsaKey<Sha256>;

/// Signer with a cache of parsed keys.
pub struct DkimSigner {
    /// Keys by the digest of the private key.
    keys: Cache<Vec<u8>, Arc<RsaSigningKey>>,
}

impl Default for DkimSigner {
    fn default() -> Self {
        Self { keys: Cache::new(MAX_CACHED_KEYS) }
    }
}

impl DkimSigner {
    fn key(&self, private: &[u8]) -> Result<Arc<RsaSigningKey>, String> {
        let id = digest(&SHA256, private).as_ref().to_vec();
        if let Some(key) = self.keys.get(&id) {
            return Ok(key);
        }
        let key =
            RsaSigningKey::from_key_der(PrivatePkcs8KeyDer::from(private).into()).map_err(|error| error.to_string())?;
        let key = Arc::new(key);
        self.keys.insert(id, Arc::clone(&key));
        Ok(key)
    }
}

#[async_trait]
impl Signer for DkimSigner {
    async fn sign(&self, by: SignedBy<'_>, raw: Vec<u8>) -> Result<Vec<u8>, NotSigned> {
        let key = match self.key(by.private_key) {
            Ok(key) => key,
            Err(reason) => return Err(NotSigned { raw, reason }),
        };
        let (domain, selector) = (by.domain.to_owned(), by.selector.to_owned());
        let raw = Arc::new(raw);
        let shared = Arc::clone(&raw);
        let signed = tokio::task::spawn_blocking(move || sign(key, &domain, &selector, &shared)).await;
        match signed {
            Ok(Ok(signed)) => Ok(signed),
            Ok(Err(reason)) => Err(NotSigned { raw: Arc::unwrap_or_clone(raw), reason }),
            Err(error) => Err(NotSigned { raw: Arc::unwrap_or_clone(raw), reason: error.to_string() }),
        }
    }

    fn missed(&self, outgoing_id: OutgoingId, reason: &str) {
        tracing::warn!(%outgoing_id, reason, "message not signed");
    }
}

fn sign(key: Arc<RsaSigningKey>, domain: &str, selector: &str, raw: &[u8]) -> Result<Vec<u8>, String> {
    // One name covers every field of that name. The library rejects names of absent fields here.
    let present =
        OVERSIGNED_FIELDS.into_iter().chain(SIGNED_FIELDS).filter(|name| !header_values(raw, name).is_empty());
    let fields: Vec<&str> = present.chain(OVERSIGNED_FIELDS).collect();
    let signer =
        mail_auth::dkim::DkimSigner::from_key(SharedKey(key)).domain(domain).selector(selector).headers(fields);
    let field = signer.sign(raw).map_err(|error| error.to_string())?.to_header();
    Ok([field.as_bytes(), raw].concat())
}

/// Key that signs several messages concurrently.
struct SharedKey(Arc<RsaSigningKey>);

impl SigningKey for SharedKey {
    type Hasher = <RsaSigningKey as SigningKey>::Hasher;

    fn sign(&self, input: impl Writable) -> mail_auth::Result<Vec<u8>> {
        self.0.sign(input)
    }

    fn algorithm(&self) -> Algorithm {
        self.0.algorithm()
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

    use inboxd_core::ports::KeyMaker as _;
    use mail_auth::AuthenticatedMessage;

    use super::*;
    use crate::signing::RsaKeyMaker;

    const RAW: &[u8] = b"From: scout@here.example\r\nTo: a@example.org\r\nSubject: s\r\nList-Id: l\r\n\r\nbody\r\n";

    fn cached(signer: &DkimSigner) -> u64 {
        signer.keys.run_pending_tasks();
        signer.keys.entry_count()
    }

    #[tokio::test]
    async fn signature_covers_message_and_prevents_added_fields() {
        let pair = RsaKeyMaker.rsa_2048().await.unwrap();
        let signer = DkimSigner::default();
        let by = SignedBy { domain: "here.example", selector: "one", private_key: &pair.private };
        let raw = signer.sign(by, RAW.to_vec()).await.unwrap();
        assert!(raw.ends_with(RAW));
        let mail = AuthenticatedMessage::parse(&raw).unwrap();
        let [signature] = mail.dkim_headers.as_slice() else { panic!("{}", String::from_utf8_lossy(&raw)) };
        let signature = &signature.header;
        assert_eq!((&*signature.d, &*signature.s, signature.l, signature.x), ("here.example", "one", 0, 0));
        // The present fields from the bottom, then each once more, present or not.
        assert_eq!(signature.h[..3], ["Subject", "To", "From"]);
        assert_eq!(signature.h[3..], OVERSIGNED_FIELDS);
        // The key is cached for the next message.
        assert_eq!(cached(&signer), 1);
        assert!(signer.sign(by, RAW.to_vec()).await.is_ok());
        assert_eq!(cached(&signer), 1);
    }

    #[tokio::test]
    async fn unsignable_message_is_returned_unchanged() {
        let by = SignedBy { domain: "here.example", selector: "one", private_key: b"no key" };
        let missed = DkimSigner::default().sign(by, RAW.to_vec()).await.unwrap_err();
        assert_eq!(missed.raw, RAW);
    }
}

//! Signing with RSA and SHA-256, relaxed in header and body: what every receiver verifies and most relays keep.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use aws_lc_rs::digest::{SHA256, digest};
use inboxd_core::model::OutgoingId;
use inboxd_core::ports::{NotSigned, SignedBy, Signer};
use inboxd_mail::header_values;
use mail_auth::common::crypto::{Algorithm, RsaKey, Sha256, SigningKey};
use mail_auth::common::headers::{HeaderWriter as _, Writable};
use rustls::pki_types::PrivatePkcs8KeyDer;

/// What readers see, and what says how to read it. Each is named once more than it stands there, so that nobody can add
/// another that is shown in its place (RFC 6376, section 8.15).
const CLOSED: [&str; 9] =
    ["From", "Reply-To", "To", "Cc", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type"];
/// What else is signed where it stands. What others add on the way, such as lists their List-Id and their List-Unsubscribe,
/// breaks nothing.
const OPEN: [&str; 5] = ["In-Reply-To", "References", "List-Unsubscribe", "List-Unsubscribe-Post", "Auto-Submitted"];
/// How many keys are kept ready.
const KEPT: usize = 256;

type Key = RsaKey<Sha256>;

/// Signs mail, and keeps the keys ready that it signed with.
#[derive(Default)]
pub struct DkimSigner {
    /// By the digest of the private half.
    keys: Mutex<HashMap<Vec<u8>, Arc<Key>>>,
}

impl DkimSigner {
    fn key(&self, private: &[u8]) -> Result<Arc<Key>, String> {
        let id = digest(&SHA256, private).as_ref().to_vec();
        let known = self.keys.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned();
        if let Some(key) = known {
            return Ok(key);
        }
        let key = Key::from_key_der(PrivatePkcs8KeyDer::from(private).into()).map_err(|error| error.to_string())?;
        let key = Arc::new(key);
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if keys.len() >= KEPT {
            keys.clear();
        }
        keys.insert(id, Arc::clone(&key));
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
        tracing::warn!(%outgoing_id, reason, "a mail leaves without a DKIM signature");
    }
}

fn sign(key: Arc<Key>, domain: &str, selector: &str, raw: &[u8]) -> Result<Vec<u8>, String> {
    // One name takes in every field of that name; of a name that stands for none, the library says that none is there.
    let present = CLOSED.into_iter().chain(OPEN).filter(|name| !header_values(raw, name).is_empty());
    let fields: Vec<&str> = present.chain(CLOSED).collect();
    let signer = mail_auth::dkim::DkimSigner::from_key(Shared(key)).domain(domain).selector(selector).headers(fields);
    let field = signer.sign(raw).map_err(|error| error.to_string())?.to_header();
    Ok([field.as_bytes(), raw].concat())
}

/// A key that several mails are signed with at the same time.
struct Shared(Arc<Key>);

impl SigningKey for Shared {
    type Hasher = <Key as SigningKey>::Hasher;

    fn sign(&self, input: impl Writable) -> mail_auth::Result<Vec<u8>> {
        self.0.sign(input)
    }

    fn algorithm(&self) -> Algorithm {
        self.0.algorithm()
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use inboxd_core::ports::KeyMaker as _;
    use mail_auth::AuthenticatedMessage;

    use super::*;
    use crate::signing::RsaKeyMaker;

    const RAW: &[u8] = b"From: scout@here.example\r\nTo: a@example.org\r\nSubject: s\r\nList-Id: l\r\n\r\nbody\r\n";

    #[tokio::test]
    async fn a_mail_is_signed_whole_and_nobody_can_add_what_is_shown_in_its_place() {
        let pair = RsaKeyMaker.rsa_2048().await.unwrap();
        let signer = DkimSigner::default();
        let by = SignedBy { domain: "here.example", selector: "one", private_key: &pair.private };
        let raw = signer.sign(by, RAW.to_vec()).await.unwrap();
        assert!(raw.ends_with(RAW));
        let mail = AuthenticatedMessage::parse(&raw).unwrap();
        let [signature] = mail.dkim_headers.as_slice() else { panic!("{}", String::from_utf8_lossy(&raw)) };
        let signature = &signature.header;
        assert_eq!((&*signature.d, &*signature.s, signature.l, signature.x), ("here.example", "one", 0, 0));
        // What stands there from below, then each once more, present or not.
        assert_eq!(signature.h[..3], ["Subject", "To", "From"]);
        assert_eq!(signature.h[3..], CLOSED);
        // The key is kept, and the next mail is signed as well.
        assert_eq!(signer.keys.lock().unwrap().len(), 1);
        assert!(signer.sign(by, RAW.to_vec()).await.is_ok());
        assert_eq!(signer.keys.lock().unwrap().len(), 1);
    }

    #[tokio::test]
    async fn a_mail_that_cannot_be_signed_comes_back_as_it_was() {
        let by = SignedBy { domain: "here.example", selector: "one", private_key: b"no key" };
        let missed = DkimSigner::default().sign(by, RAW.to_vec()).await.unwrap_err();
        assert_eq!(missed.raw, RAW);
    }
}

//! What the service signs so that it can trust it when it comes back.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

use crate::model::OrganizationId;

/// The service's secret for signatures and keyed hashes.
#[derive(Clone)]
pub struct SigningKey([u8; 32]);

impl SigningKey {
    /// A key of these octets.
    #[must_use]
    pub fn new(octets: [u8; 32]) -> Self {
        Self(octets)
    }

    /// HMAC-SHA256 of parts under a purpose: a signature made for one purpose is of no use for another.
    #[must_use]
    pub fn mac(&self, purpose: &str, parts: &[&[u8]]) -> [u8; 32] {
        let mut mac = new_mac(&self.0);
        for part in std::iter::once(&purpose.as_bytes()).chain(parts) {
            mac.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }

    /// A text that carries its own signature, fit for a URL.
    #[must_use]
    pub fn sign(&self, purpose: &str, payload: &[u8]) -> String {
        let mut signed = payload.to_vec();
        signed.extend_from_slice(&self.mac(purpose, &[payload])[..16]);
        URL_SAFE_NO_PAD.encode(signed)
    }

    /// The payload of a text that [`SigningKey::sign`] made for the same purpose.
    #[must_use]
    pub fn verify(&self, purpose: &str, text: &str) -> Option<Vec<u8>> {
        let mut payload = URL_SAFE_NO_PAD.decode(text).ok()?;
        let signature = payload.split_off(payload.len().checked_sub(16)?);
        same(&signature, &self.mac(purpose, &[&payload])[..16]).then_some(payload)
    }

    /// The keyed hash of a verification code, of use for one organization only.
    #[must_use]
    pub fn code_hash(&self, organization_id: OrganizationId, code: &str) -> [u8; 32] {
        self.mac("verification code", &[organization_id.0.as_bytes(), code.as_bytes()])
    }
}

/// Compares in constant time.
#[must_use]
pub fn same(one: &[u8], other: &[u8]) -> bool {
    one.ct_eq(other).into()
}

fn new_mac(key: &[u8; 32]) -> Hmac<Sha256> {
    // HMAC fills a short key up with zeros to the block of its hash (RFC 2104, section 2).
    let mut block = [0; 64];
    block[..32].copy_from_slice(key);
    Hmac::new(&block.into())
}

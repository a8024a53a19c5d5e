//! Signatures of values that clients return to the service.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

use crate::model::OrganizationId;

/// Secret of the service for signatures and keyed hashes.
#[derive(Clone)]
pub struct SigningKey([u8; 32]);

impl SigningKey {
    /// Creates a key from its bytes.
    #[must_use]
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the HMAC-SHA256 of parts under a purpose. A signature for one purpose is invalid for another.
    #[must_use]
    pub fn mac(&self, purpose: &str, parts: &[&[u8]]) -> [u8; 32] {
        let mut mac = new_mac(&self.0);
        for part in std::iter::once(&purpose.as_bytes()).chain(parts) {
            mac.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }

    /// Returns a URL-safe text with payload and signature.
    #[must_use]
    pub fn sign(&self, purpose: &str, payload: &[u8]) -> String {
        let mut signed = payload.to_vec();
        signed.extend_from_slice(&self.mac(purpose, &[payload])[..16]);
        URL_SAFE_NO_PAD.encode(signed)
    }

    /// Returns the payload of a text that [`SigningKey::sign`] created for the same purpose; `None` for any other text.
    #[must_use]
    pub fn verify(&self, purpose: &str, text: &str) -> Option<Vec<u8>> {
        let mut payload = URL_SAFE_NO_PAD.decode(text).ok()?;
        let signature = payload.split_off(payload.len().checked_sub(16)?);
        same(&signature, &self.mac(purpose, &[&payload])[..16]).then_some(payload)
    }

    /// Returns the keyed hash of a verification code, valid for one organization.
    #[must_use]
    pub fn code_hash(&self, organization_id: OrganizationId, code: &str) -> [u8; 32] {
        self.mac("verification code", &[organization_id.0.as_bytes(), code.as_bytes()])
    }
}

/// Compares two byte strings in constant time.
#[must_use]
pub fn same(one: &[u8], other: &[u8]) -> bool {
    one.ct_eq(other).into()
}

fn new_mac(key: &[u8; 32]) -> Hmac<Sha256> {
    // HMAC pads a short key with zeros to the block size of its hash (RFC 2104, section 2).
    let mut block = [0; 64];
    block[..32].copy_from_slice(key);
    Hmac::new(&block.into())
}

//! Proof key for code exchange, method S256 (RFC 7636).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::rules::signing::same;

/// Returns whether a text is a challenge of method S256: 43 characters of base64url for 32 bytes.
#[must_use]
pub fn is_challenge(text: &str) -> bool {
    URL_SAFE_NO_PAD.decode(text).is_ok_and(|bytes| bytes.len() == 32)
}

/// Returns whether a text has the form of a verifier (section 4.1).
#[must_use]
pub fn is_verifier(text: &str) -> bool {
    let is_unreserved = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'.' | b'_' | b'~');
    (43..=128).contains(&text.len()) && text.bytes().all(is_unreserved)
}

/// Returns whether a verifier proves a challenge.
#[must_use]
pub fn proves(challenge: &str, verifier: &str) -> bool {
    let digest = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()));
    is_verifier(verifier) && same(digest.as_bytes(), challenge.as_bytes())
}

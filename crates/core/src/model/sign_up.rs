//! Sign-up: its mode, and the invitations of the operator.

use sha2::{Digest, Sha256};
use time::OffsetDateTime;

/// Condition under which the service accepts new organizations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SignUpMode {
    /// Anyone signs up.
    #[default]
    Open,
    /// A sign-up needs an invitation of the operator.
    Invite,
    /// Nobody signs up.
    Closed,
}

/// An invitation of the operator to sign up once. Only its SHA-256 is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignUpInvitation {
    /// SHA-256 of the invitation.
    pub invitation_hash: [u8; 32],
    /// Time of creation.
    pub created_at: OffsetDateTime,
    /// Expiry.
    pub expires_at: OffsetDateTime,
}

impl SignUpInvitation {
    /// Returns a new invitation as text.
    #[must_use]
    pub fn text(random: [u8; 32]) -> String {
        use base64::Engine as _;
        format!("inv_{}", base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(random))
    }

    /// Returns the hash by which an invitation is found. It has 256 random bits, so it needs no slow hash.
    #[must_use]
    pub fn hash(text: &str) -> [u8; 32] {
        Sha256::digest(text.trim().as_bytes()).into()
    }
}

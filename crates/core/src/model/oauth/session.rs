//! Browser sessions.

use inboxd_mail::EmailAddress;
use sha2::{Digest, Sha256};
use time::{Duration, OffsetDateTime};

/// A session in a browser, opened by a right mailed code. It proves an address and grants nothing by itself: each page
/// reads the present memberships. Only the SHA-256 of its token is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrowserSession {
    /// SHA-256 of the token in the cookie.
    pub token_hash: [u8; 32],
    /// Proven address.
    pub email: EmailAddress,
    /// Time of the sign-in.
    pub created_at: OffsetDateTime,
    /// Time of the last use, accurate to about a minute.
    pub used_at: OffsetDateTime,
    /// Expiry of the session without another use.
    pub expires_at: OffsetDateTime,
}

impl BrowserSession {
    /// Validity without a use.
    pub const MAX_IDLE: Duration = Duration::hours(12);
    /// Validity in all.
    pub const MAX_LIFETIME: Duration = Duration::days(30);
    /// Maximum sessions of an address. The oldest ones end first.
    pub const MAX_PER_ADDRESS: u32 = 20;

    /// Returns a new session with this token.
    #[must_use]
    pub fn open(email: EmailAddress, token: &str, now: OffsetDateTime) -> Self {
        let token_hash = Self::hash(token);
        Self { token_hash, email, created_at: now, used_at: now, expires_at: now + Self::MAX_IDLE }
    }

    /// Returns the hash by which a session is found.
    #[must_use]
    pub fn hash(token: &str) -> [u8; 32] {
        Sha256::digest(token.as_bytes()).into()
    }

    /// Returns the session after a use.
    #[must_use]
    pub fn used(self, now: OffsetDateTime) -> Self {
        let expires_at = (now + Self::MAX_IDLE).min(self.created_at + Self::MAX_LIFETIME);
        Self { used_at: now, expires_at, ..self }
    }

    /// Returns whether the session has expired.
    #[must_use]
    pub fn is_expired(&self, now: OffsetDateTime) -> bool {
        self.expires_at <= now
    }
}

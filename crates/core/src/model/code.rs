//! Codes that prove control of the owner's mailbox.

use time::{Duration, OffsetDateTime};

use super::OrganizationId;

/// A code that was mailed to an owner at sign-up. Only a keyed hash of it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerificationCode {
    /// Organization of the owner.
    pub organization_id: OrganizationId,
    /// HMAC-SHA256 of the six digits under the service's secret and the organization's id.
    pub code_hash: [u8; 32],
    /// Expiry of the code.
    pub expires_at: OffsetDateTime,
    /// Number of wrong codes tried against it.
    pub attempts: u32,
    /// Network of the client that signed up, such as `192.0.2.0/24`; `None` if unknown.
    pub sign_up_network: Option<String>,
}

impl VerificationCode {
    /// Validity of a sign-up code (`wire.md`, section 3).
    pub const LIFETIME: Duration = Duration::hours(24);
    /// Maximum wrong codes against one code.
    pub const MAX_ATTEMPTS: u32 = 10;

    /// Returns whether the code has expired.
    #[must_use]
    pub fn is_expired(&self, now: OffsetDateTime) -> bool {
        self.expires_at <= now
    }

    /// Returns whether all attempts are used.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        self.attempts >= Self::MAX_ATTEMPTS
    }
}

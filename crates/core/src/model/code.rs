//! The six digits that prove control of the owner's mailbox.

use time::{Duration, OffsetDateTime};

use super::OrganizationId;

/// A code that was mailed to an owner at sign-up. Only a keyed hash of it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerificationCode {
    /// Whose owner address it proves.
    pub organization_id: OrganizationId,
    /// HMAC-SHA256 of the six digits under the service's secret and the organization's id.
    pub code_hash: [u8; 32],
    /// When it stops working.
    pub expires_at: OffsetDateTime,
    /// How many wrong codes were tried against it.
    pub attempts: u32,
    /// The network of the client that signed up, such as `192.0.2.0/24`; `None` where it is unknown.
    pub sign_up_network: Option<String>,
}

impl VerificationCode {
    /// How long a sign-up code works (`wire.md`, section 3).
    pub const LIFETIME: Duration = Duration::hours(24);
    /// How many wrong codes may be tried.
    pub const MAX_ATTEMPTS: u32 = 10;

    /// Whether it no longer works.
    #[must_use]
    pub fn is_expired(&self, now: OffsetDateTime) -> bool {
        self.expires_at <= now
    }

    /// Whether every attempt is used up.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        self.attempts >= Self::MAX_ATTEMPTS
    }
}

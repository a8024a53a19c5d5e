//! Signing in with a code that is mailed.

use inboxd_mail::EmailAddress;
use time::{Duration, OffsetDateTime};

/// A code that was asked for, whether or not anybody has the address. The six digits themselves are nowhere: they follow
/// from this and the service's secret ([`crate::rules::sign_in::digits`]).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInCode {
    /// Whose control of their mailbox it proves.
    pub email: EmailAddress,
    /// What tells this code from every other one of the address.
    pub nonce: [u8; 32],
    /// When it stops working.
    pub expires_at: OffsetDateTime,
    /// How many wrong codes were tried against it.
    pub attempts: u32,
    /// When it is to be mailed; `None` once that was done.
    pub mail_due_at: Option<OffsetDateTime>,
}

impl SignInCode {
    /// How long a code works (`wire.md`, section 3, Sign-in).
    pub const LIFETIME: Duration = Duration::minutes(15);
    /// How many wrong codes may be tried.
    pub const MAX_ATTEMPTS: u32 = 10;
    /// How many codes an address can be asked for within [`Self::PERIOD`]: whoever asks for more, for themselves or to
    /// bother somebody, is answered as ever, and the last code stays as it is.
    pub const MOST: u32 = 20;
    /// The time from the first of those codes until they are counted anew.
    pub const PERIOD: Duration = Duration::hours(1);

    /// A fresh code, due to be mailed.
    #[must_use]
    pub fn fresh(email: EmailAddress, nonce: [u8; 32], now: OffsetDateTime) -> Self {
        Self { email, nonce, expires_at: now + Self::LIFETIME, attempts: 0, mail_due_at: Some(now) }
    }

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

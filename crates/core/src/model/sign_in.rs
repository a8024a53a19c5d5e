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
    /// When the last wrong code for the address stops to count, whichever code it was tried against. Each counts for
    /// [`Self::GUESS_PACE`], one after another; a fresh code leaves this as it is.
    pub guesses_until: Option<OffsetDateTime>,
}

impl SignInCode {
    /// How long a code works (`wire.md`, section 3, Sign-in).
    pub const LIFETIME: Duration = Duration::minutes(15);
    /// How many wrong codes may be tried.
    pub const MAX_ATTEMPTS: u32 = 10;
    /// How many codes an address can be asked for within [`Self::PERIOD`]: whoever asks for more, for themselves or to
    /// bother somebody, is answered as ever, and the last code stays as it is for as long as it works.
    pub const MOST: u32 = 20;
    /// The time from the first of those codes until they are counted anew.
    pub const PERIOD: Duration = Duration::hours(1);
    /// How long after the last code one more can be had, above [`Self::MOST`], in place of one that no longer works.
    pub const PACE: Duration = Duration::minutes(5);
    /// How many wrong codes may be tried for an address at a stretch, whichever codes they were tried against.
    pub const MOST_GUESSES: i32 = 50;
    /// How long it takes until one more may be tried then. No 24 hours see more than 98.
    pub const GUESS_PACE: Duration = Duration::minutes(30);

    /// A fresh code, due to be mailed.
    #[must_use]
    pub fn fresh(email: EmailAddress, nonce: [u8; 32], now: OffsetDateTime) -> Self {
        let expires_at = now + Self::LIFETIME;
        Self { email, nonce, expires_at, attempts: 0, mail_due_at: Some(now), guesses_until: None }
    }

    /// The code after a wrong one was tried.
    #[must_use]
    pub fn tried(self, now: OffsetDateTime) -> Self {
        let since = self.guesses_until.map_or(now, |until| until.max(now));
        Self { attempts: self.attempts + 1, guesses_until: Some(since + Self::GUESS_PACE), ..self }
    }

    /// Until when nothing may be tried for the address, not even the right code: whoever guesses would learn that it was.
    #[must_use]
    pub fn paused_until(&self, now: OffsetDateTime) -> Option<OffsetDateTime> {
        let until = self.guesses_until? - Self::GUESS_PACE * (Self::MOST_GUESSES - 1);
        (until > now).then_some(until)
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

//! Sign-in codes.

use inboxd_mail::EmailAddress;
use time::{Duration, OffsetDateTime};

/// A requested code, for a known or unknown address. The six digits are stored nowhere: they derive from this row and
/// the service's secret ([`crate::rules::sign_in::digits`]).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInCode {
    /// Address that the code proves control of.
    pub email: EmailAddress,
    /// Random value that distinguishes the codes of one address.
    pub nonce: [u8; 32],
    /// Expiry of the code.
    pub expires_at: OffsetDateTime,
    /// Number of wrong codes tried against it.
    pub attempts: u32,
    /// Time at which it is mailed; `None` afterwards.
    pub mail_due_at: Option<OffsetDateTime>,
    /// Time at which the last wrong code for the address stops counting, whichever code it was tried against.
    ///
    /// Each wrong code counts for [`Self::GUESS_PACE`], one after another. A new code leaves this value unchanged.
    pub guesses_until: Option<OffsetDateTime>,
    /// Whether the code is mailed to an address without an account too, which then signs up with it.
    pub mails_newcomers: bool,
}

impl SignInCode {
    /// Validity of a code (`wire.md`, section 3, Sign-in).
    pub const LIFETIME: Duration = Duration::minutes(15);
    /// Maximum wrong codes against one code.
    pub const MAX_ATTEMPTS: u32 = 10;
    /// Maximum codes of an address within [`Self::PERIOD`]. Further requests get the usual response, and the last code
    /// stays unchanged while it is valid.
    pub const MAX_CODES: u32 = 20;
    /// Time from the first of these codes until the count restarts.
    pub const PERIOD: Duration = Duration::hours(1);
    /// Minimum time between codes above [`Self::MAX_CODES`], once the previous one is no longer valid.
    pub const PACE: Duration = Duration::minutes(5);
    /// Maximum wrong codes for an address in a row, over all its codes.
    pub const MAX_GUESSES: i32 = 50;
    /// Time until one more wrong code may be tried then. This permits at most 98 in 24 hours.
    pub const GUESS_PACE: Duration = Duration::minutes(30);

    /// Creates a code that is due to be mailed.
    #[must_use]
    pub fn fresh(email: EmailAddress, nonce: [u8; 32], now: OffsetDateTime) -> Self {
        let expires_at = now + Self::LIFETIME;
        Self {
            email,
            nonce,
            expires_at,
            attempts: 0,
            mail_due_at: Some(now),
            guesses_until: None,
            mails_newcomers: false,
        }
    }

    /// Returns the code after a wrong attempt.
    #[must_use]
    pub fn tried(self, now: OffsetDateTime) -> Self {
        let since = self.guesses_until.map_or(now, |until| until.max(now));
        Self { attempts: self.attempts + 1, guesses_until: Some(since + Self::GUESS_PACE), ..self }
    }

    /// Returns the time until which no code of the address is accepted, not even the right one: its acceptance would
    /// confirm a guess.
    #[must_use]
    pub fn paused_until(&self, now: OffsetDateTime) -> Option<OffsetDateTime> {
        let until = self.guesses_until? - Self::GUESS_PACE * (Self::MAX_GUESSES - 1);
        (until > now).then_some(until)
    }

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

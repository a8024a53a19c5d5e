//! Refusals of mailed codes.

use time::OffsetDateTime;

/// Reason for which a mailed code is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CodeRefusal {
    /// The sign-in code is wrong, expired or used, or the address is unknown; the response does not tell which.
    #[error("the code is wrong or has expired")]
    WrongSignIn,
    /// Too many wrong codes against this sign-in code.
    #[error("too many wrong codes were tried")]
    SignInAttemptsExceeded,
    /// Too many wrong sign-in codes for the address, over all its codes.
    #[error("too many wrong codes were tried for this address")]
    SignInPaused {
        /// Time of the next permitted attempt.
        until: OffsetDateTime,
    },
    /// The code is wrong.
    #[error("the code is wrong")]
    Wrong {
        /// Remaining attempts.
        attempts_left: u32,
    },
    /// The code has expired; a new one was mailed.
    #[error("the code has expired")]
    Expired,
    /// Too many wrong codes were tried.
    #[error("too many wrong codes were tried")]
    AttemptsExceeded {
        /// Expiry of the code, after which a new one can be requested.
        until: OffsetDateTime,
    },
}

//! Sign-in codes.

use inboxd_mail::EmailAddress;
use inboxd_port_macros::port;
use time::{Duration, OffsetDateTime};

use super::StoreError;
use crate::model::sign_in::SignInCode;

/// Writes of sign-in codes. They do not depend on whether the address has an account.
#[port]
pub trait SignInWrites: Send {
    /// Stores a new code in place of the previous one of its address. After [`SignInCode::MAX_CODES`] requests in the
    /// period, it does nothing unless the previous code is unusable and at least [`SignInCode::PACE`] old. The guess
    /// counter of the address is unchanged.
    async fn ask(&mut self, code: &SignInCode, now: OffsetDateTime) -> Result<(), StoreError>;

    /// Locks and returns the code of an address.
    async fn lock(&mut self, email: &EmailAddress) -> Result<Option<SignInCode>, StoreError>;

    /// Stores the attempts of a code and the guesses of its address.
    async fn tried(&mut self, code: &SignInCode) -> Result<(), StoreError>;

    /// Invalidates the code of an address after its use.
    async fn end(&mut self, email: &EmailAddress, at: OffsetDateTime) -> Result<(), StoreError>;

    /// Claims up to `limit` codes to send for the length of the lease. Skips unreadable codes so that they do not block
    /// others.
    async fn claim(&mut self, now: OffsetDateTime, lease: Duration, limit: u32) -> Result<Vec<SignInCode>, StoreError>;

    /// Records that these codes were sent or need not be. A code replaced meanwhile stays due.
    async fn settle(&mut self, codes: &[SignInCode]) -> Result<(), StoreError>;

    /// Deletes up to `limit` addresses whose code and guesses expired [`SignInCode::PERIOD`] ago. Returns the number of
    /// deleted addresses.
    async fn forget_expired(&mut self, now: OffsetDateTime, limit: u32) -> Result<u64, StoreError>;
}

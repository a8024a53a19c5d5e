//! Codes by which people sign in.

use inboxd_mail::EmailAddress;
use inboxd_port_macros::port;
use time::{Duration, OffsetDateTime};

use super::StoreError;
use crate::model::sign_in::SignInCode;

/// Changes of sign-in codes. Nothing in here depends on whether anybody has the address.
#[port]
pub trait SignInWrites: Send {
    /// Stores a fresh code in place of the older one of its address. Where [`SignInCode::MAX_CODES`] were asked for in this
    /// period nothing changes, unless the older one no longer works and came [`SignInCode::PACE`] ago or earlier. The
    /// guesses of the address stay.
    async fn ask(&mut self, code: &SignInCode, now: OffsetDateTime) -> Result<(), StoreError>;

    /// Reads the code of an address and locks it.
    async fn lock(&mut self, email: &EmailAddress) -> Result<Option<SignInCode>, StoreError>;

    /// Stores how often a code was tried, and the guesses of its address.
    async fn tried(&mut self, code: &SignInCode) -> Result<(), StoreError>;

    /// Ends the code of an address, which was used.
    async fn end(&mut self, email: &EmailAddress, at: OffsetDateTime) -> Result<(), StoreError>;

    /// Claims up to `limit` codes that are due to be mailed; until the lease has run out nobody else gets them. One that
    /// cannot be read is left out, so that it keeps no other from its mail.
    async fn claim(&mut self, now: OffsetDateTime, lease: Duration, limit: u32) -> Result<Vec<SignInCode>, StoreError>;

    /// Notes that these codes were mailed, or need not be. One that was replaced meanwhile stays due.
    async fn settle(&mut self, codes: &[SignInCode]) -> Result<(), StoreError>;

    /// Forgets up to `limit` addresses whose code ran out, and whose guesses ceased to count, [`SignInCode::PERIOD`] ago.
    /// Answers how many.
    async fn forget_expired(&mut self, now: OffsetDateTime, limit: u32) -> Result<u64, StoreError>;
}

//! Shares of service mail.

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::MailCharge;

/// Changes of the shares of service mail. Whoever charges several shares charges them in the order of their subjects.
#[port]
pub trait MailQuotaWrites: Send {
    /// Counts one mail against a share. Returns when the next one is allowed where the share is used up; then nothing is
    /// counted.
    async fn charge(&mut self, charge: &MailCharge, now: OffsetDateTime) -> Result<Option<OffsetDateTime>, StoreError>;

    /// Deletes up to `limit` shares against which nothing counts any more. Returns how many.
    async fn purge(&mut self, now: OffsetDateTime, limit: u32) -> Result<u64, StoreError>;
}

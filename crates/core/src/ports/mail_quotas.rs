//! Quotas of service mail.

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::MailCharge;

/// Writes of quotas. A caller that charges several quotas charges them in the order of their subjects.
#[port]
pub trait MailQuotaWrites: Send {
    /// Charges one message to a quota. If the quota is exhausted, charges nothing and returns the time of the next
    /// allowed message.
    async fn charge(&mut self, charge: &MailCharge, now: OffsetDateTime) -> Result<Option<OffsetDateTime>, StoreError>;

    /// Deletes up to `limit` unused quotas. Returns the number of deleted quotas.
    async fn purge(&mut self, now: OffsetDateTime, limit: u32) -> Result<u64, StoreError>;
}

//! Mail that was refused at SMTP.

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::SmtpRefusal;

/// Bounds of stored refusals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefusalBounds {
    /// Rows of an inbox.
    pub of_inbox: u64,
    /// Rows of an organization.
    pub of_organization: u64,
}

/// Writes of refusals.
#[port]
pub trait RefusalWrites: Send {
    /// Stores refusals, which are in the order of their organizations, inboxes and ids. Known ones are added to, and the
    /// oldest beyond the bounds deleted.
    async fn add(&mut self, refusals: &[SmtpRefusal], bounds: RefusalBounds) -> Result<(), StoreError>;

    /// Deletes up to `limit` refusals from before a time, oldest first, and returns their number.
    async fn purge(&mut self, before: OffsetDateTime, limit: u32) -> Result<u64, StoreError>;
}

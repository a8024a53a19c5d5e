//! First reads of messages.

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::FirstRead;

/// Bounds of stored first reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadBounds {
    /// Readers of a message, the first ones.
    pub of_message: u32,
    /// Reads of an inbox, the newest ones.
    pub of_inbox: u64,
}

/// Writes of first reads.
#[port]
pub trait FirstReadWrites: Send {
    /// Stores the reads by readers that have not read the message before, within the bounds.
    async fn add(&mut self, reads: &[FirstRead], bounds: ReadBounds) -> Result<(), StoreError>;

    /// Deletes up to `limit` reads from before a time, oldest first, and returns their number.
    async fn purge(&mut self, before: OffsetDateTime, limit: u32) -> Result<u64, StoreError>;
}

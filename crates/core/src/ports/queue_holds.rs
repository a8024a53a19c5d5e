//! Holds of outgoing messages.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{InboxId, OrganizationId};

/// Held part of the outgoing queue.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeldMail {
    /// The time since which the whole queue is held.
    pub queue_since: Option<OffsetDateTime>,
    /// Inboxes that are paused, or whose organization is suspended or removed.
    pub inboxes: Vec<(OrganizationId, InboxId)>,
}

/// Holds, for the workers. Each call is its own transaction.
#[async_trait]
pub trait QueueHolds: Send + Sync {
    /// Returns the held inboxes among these and the start of a hold of the queue.
    async fn held_mail(&self, inboxes: &[(OrganizationId, InboxId)]) -> Result<HeldMail, StoreError>;

    /// Makes up to `limit` held messages of active inboxes due again, after an interrupted request. Returns the number
    /// of messages.
    async fn resume_unheld(&self, limit: u32) -> Result<usize, StoreError>;
}

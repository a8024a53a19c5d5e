//! Holds of outgoing messages.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{InboxId, OrganizationId};

/// Messages that must not leave now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeldMail {
    /// The time since which the whole queue is held.
    pub queue_since: Option<OffsetDateTime>,
    /// Inboxes that are paused, or whose organization is suspended or removed.
    pub inboxes: Vec<(OrganizationId, InboxId)>,
}

/// Holds as the workers read them. Each method is complete in itself.
#[async_trait]
pub trait QueueHolds: Send + Sync {
    /// Returns which of these inboxes must not send, and since when the queue is held.
    async fn held_mail(&self, inboxes: &[(OrganizationId, InboxId)]) -> Result<HeldMail, StoreError>;

    /// Makes up to `limit` held messages of active inboxes due again, as an interrupted request leaves them, and returns how
    /// many.
    async fn resume_unheld(&self, limit: u32) -> Result<usize, StoreError>;
}

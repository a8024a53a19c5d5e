//! Sizes of the queues in storage, for operators.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::StoreError;

/// Rows of a queue that are counted at most. A longer queue has this size.
pub const MAX_COUNTED_ROWS: u32 = 10_000;

/// Size of a queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Its rows, at most [`MAX_COUNTED_ROWS`].
    pub rows: u64,
    /// Time of the oldest counted row.
    pub oldest: Option<OffsetDateTime>,
}

/// Sizes of all queues. Work in progress counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WorkBacklogs {
    /// Outgoing messages with codes.
    pub codes: Backlog,
    /// Other outgoing messages to inboxes of this service.
    pub local_mail: Backlog,
    /// Other outgoing messages to other servers.
    pub remote_mail: Backlog,
    /// Outgoing messages that are held.
    pub held_mail: Backlog,
    /// Events to deliver to webhooks.
    pub webhook_deliveries: Backlog,
    /// Events without a position.
    pub unsequenced_events: Backlog,
    /// Messages that the search index does not contain. Inboxes with few of them keep them.
    pub unindexed_messages: Backlog,
    /// Messages with unread attachments.
    pub unread_attachments: Backlog,
    /// Future weeks with a table of events.
    pub event_weeks_ahead: u64,
    /// Open connections to the database, of all its clients.
    pub connections: u64,
}

/// Reads of the queue sizes.
#[async_trait]
pub trait BacklogReads: Send + Sync {
    /// Returns the sizes of all queues, in one round trip.
    async fn backlogs(&self) -> Result<WorkBacklogs, StoreError>;
}

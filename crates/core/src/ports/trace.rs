//! Sources of traces.

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::{StoreError, WebhookScope};
use crate::model::{
    EventId, HidingLabels, InboxId, MessageId, OrganizationId, PageRequest, ThreadId, TraceSegment, WebhookAttempt,
};

/// Filter and page of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceQuery {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The inbox.
    pub inbox_id: InboxId,
    /// Only entries about this message.
    pub message_id: Option<MessageId>,
    /// Only entries about messages of this thread. Events and delivery attempts have it also without a stored message.
    pub thread_id: Option<ThreadId>,
    /// Only entries about stored messages from or to this address, in normal form.
    pub correspondent: Option<String>,
    /// The earliest time, inclusive.
    pub start: Option<OffsetDateTime>,
    /// The latest time, exclusive.
    pub end: Option<OffsetDateTime>,
    /// Excludes entries about messages with other hiding labels than these. Also excludes those about deleted messages
    /// unless all hiding labels but perhaps `held` are readable, because their labels are unknown. Events of rejected and
    /// held sends, and those without a message, are never excluded while no message is stored.
    pub readable: HidingLabels,
    /// The page, ordered by time.
    pub page: PageRequest,
}

/// Reads of the sources of traces. Each reads a bounded number of rows and reports how far it came.
#[port]
pub trait TraceReads {
    /// Returns events with their messages, without webhook attempts.
    async fn trace_events(&self, query: &TraceQuery) -> Result<TraceSegment, StoreError>;

    /// Returns label changes by callers.
    async fn trace_labels(&self, query: &TraceQuery) -> Result<TraceSegment, StoreError>;

    /// Returns delivery attempts.
    async fn trace_deliveries(&self, query: &TraceQuery) -> Result<TraceSegment, StoreError>;

    /// Returns refusals of mail at SMTP. They have no message, so filters by message or thread find none; their
    /// correspondent is the envelope sender.
    async fn trace_refusals(&self, query: &TraceQuery) -> Result<TraceSegment, StoreError>;

    /// Returns first reads.
    async fn trace_reads(&self, query: &TraceQuery) -> Result<TraceSegment, StoreError>;

    /// Returns the first `limit` attempts of each event by the webhooks of a scope, oldest first. Attempts of deleted
    /// webhooks belong to the whole organization alone. The events are no older than `since`.
    async fn webhook_attempts_of(
        &self,
        scope: &WebhookScope,
        events: &[EventId],
        since: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<WebhookAttempt>, StoreError>;
}

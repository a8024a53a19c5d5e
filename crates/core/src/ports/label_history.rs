//! History of label changes.

use super::StoreError;
use crate::model::{HidingLabels, InboxId, LabelEvent, OrganizationId, Page, PageRequest};
use inboxd_port_macros::port;

/// Filter and page of the label history of an inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelEventQuery {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The inbox.
    pub inbox_id: InboxId,
    /// Excludes events of messages with other hiding labels than these. Also excludes events of deleted messages unless
    /// all hiding labels but perhaps `held` are readable, because their labels are unknown.
    pub readable: HidingLabels,
    /// The page, ordered by event time.
    pub page: PageRequest,
}

/// Reads of the label history.
#[port]
pub trait LabelHistoryReads {
    /// Returns a page of the history. A page can be short or empty and still have a successor, because unreadable
    /// events are left out.
    async fn list_label_events(&self, query: &LabelEventQuery) -> Result<Page<LabelEvent>, StoreError>;
}

/// Writes of the label history, which is bounded and deleted with its inbox.
#[port]
pub trait LabelHistoryWrites: Send {
    /// Appends events of messages whose threads the caller has locked. Occasionally deletes the oldest events of an
    /// inbox above `limit`, so an inbox exceeds it by about one percent.
    async fn append(&mut self, events: &[LabelEvent], limit: u64) -> Result<(), StoreError>;
}

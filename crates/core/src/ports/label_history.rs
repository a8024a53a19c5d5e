//! The history of labels.

use super::StoreError;
use crate::model::{HidingLabels, InboxId, LabelEvent, OrganizationId, Page, PageRequest};
use inboxd_port_macros::port;

/// Which part of an inbox's history to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelEventQuery {
    /// Whose.
    pub organization_id: OrganizationId,
    /// The inbox.
    pub inbox_id: InboxId,
    /// What was done to messages with other hiding labels than these is left out; and what was done to deleted ones,
    /// unless these are all: nothing says any more what hid them.
    pub readable: HidingLabels,
    /// Which page; ordered by the time of the event.
    pub page: PageRequest,
}

/// Questions about the history of labels.
#[port]
pub trait LabelHistoryReads {
    /// A page of the history. Where much is left out it may hold less than its `limit`, or nothing, and still have a
    /// place behind it.
    async fn list_label_events(&self, query: &LabelEventQuery) -> Result<Page<LabelEvent>, StoreError>;
}

/// Changes of the history: it grows up to a bound, and goes with its inbox.
#[port]
pub trait LabelHistoryWrites: Send {
    /// Appends what was done to messages whose threads the caller has locked. From time to time it deletes the oldest events
    /// of an inbox with more than `limit`: an inbox exceeds it by a hundredth or so.
    async fn append(&mut self, events: &[LabelEvent], limit: u64) -> Result<(), StoreError>;
}

//! Event records.

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::{StoreError, WholeEvent};
use crate::model::{Event, EventType, HidingLabels, InboxId, MessageId, OrganizationId, Page, PageRequest, PodId};
use crate::rules::trust::Verdict;

/// Filter and page of an event list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventQuery {
    /// The organization.
    pub organization_id: OrganizationId,
    /// Only events of this pod.
    pub pod_id: Option<PodId>,
    /// Only events of this inbox.
    pub inbox_id: Option<InboxId>,
    /// Only events of these types; empty selects all.
    pub event_types: Vec<EventType>,
    /// Only received mail with one of these verdicts, and all other events; empty selects all.
    pub trust: Vec<Verdict>,
    /// The earliest time, inclusive.
    pub start: OffsetDateTime,
    /// The latest time, exclusive.
    pub end: OffsetDateTime,
    /// Whether to include the messages of the events.
    pub with_mail: bool,
    /// Messages with other hiding labels than these are absent, as if deleted.
    pub readable: HidingLabels,
    /// Bodies above this number of bytes are left out.
    pub largest_body: u32,
    /// The page, ordered by event time.
    pub page: PageRequest,
}

/// Names of a submission, which identify its event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubmissionKey {
    /// Inbox that sends the message.
    pub inbox_id: InboxId,
    /// Id of the message.
    pub message_id: MessageId,
    /// Time of its event.
    pub submitted_at: OffsetDateTime,
}

/// Reads of events.
#[port]
pub trait EventReads {
    /// Returns a page of events with their messages and the names of the parts left out for their size.
    async fn list_events(&self, query: &EventQuery) -> Result<Page<WholeEvent>, StoreError>;

    /// Returns the events of submissions of one organization, sent or held, in the order of their keys; `None` for one that
    /// was not stored. An event outlives its message and draft.
    ///
    /// The events are read under the lock of the organization, so no unit of work in progress is missed. While that fails, it
    /// is tried again for ten seconds.
    async fn submission_events(
        &self,
        organization_id: OrganizationId,
        submissions: &[SubmissionKey],
    ) -> Result<Vec<Option<Event>>, StoreError>;
}

/// Writes of events, which are immutable.
#[port]
pub trait EventWrites: Send {
    /// Appends events, at the latest with the commit.
    async fn append(&mut self, events: &[Event]) -> Result<(), StoreError>;
}

//! Event list.

use time::{Duration, OffsetDateTime};

use super::feed::threads_of;
use super::threads::leave_out_hidden;
use super::{App, inboxes};
use crate::Error;
use crate::model::{Caller, EventType, InboxId, Page, PageRequest, Permission};
use crate::ports::{EventQuery, WholeEvent};
use crate::rules::access;
use crate::rules::trust::Verdict;

/// Time window of a list without `start` (`service.md`, section 4, Events and webhooks).
const DEFAULT_WINDOW: Duration = Duration::days(7);
/// Maximum size of the bodies of one page, in bytes, divided among its rows.
pub(super) const MAX_PAGE_BODY_BYTES: u32 = 8 * 1024 * 1024;

/// Filter and page of an event list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Inbox of the events.
    pub inbox_id: Option<InboxId>,
    /// Names of event types; empty for all.
    pub event_types: Vec<String>,
    /// Verdicts of which received mail must have one; empty for all.
    pub trust: Vec<Verdict>,
    /// Earliest time, inclusive.
    pub start: Option<OffsetDateTime>,
    /// Latest time, exclusive.
    pub end: Option<OffsetDateTime>,
    /// Requested page.
    pub page: PageRequest,
}

impl EventFilter {
    /// Validates the filter, requires access, and returns the inbox and event types.
    pub(super) fn checked(&self, caller: &Caller) -> Result<(Option<InboxId>, Vec<EventType>), Error> {
        if let Some(inbox_id) = &self.inbox_id {
            access::require_inbox(caller, inbox_id)?;
        }
        access::require(caller, Permission::EventRead)?;
        let event_types = types_of(&self.event_types)?;
        let (_, inbox_id) = access::listed(caller, self.inbox_id.clone())?;
        Ok((inbox_id, event_types))
    }
}

/// Parses the names of event types.
pub(super) fn types_of(names: &[String]) -> Result<Vec<EventType>, Error> {
    names.iter().map(|name| EventType::named(name).ok_or_else(|| Error::UnknownEventType(name.clone()))).collect()
}

/// Lists the events in the scope of the caller, newest first. The default window is the last seven days.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::MissingPermission`], [`Error::UnknownEventType`], [`Error::Invalid`],
/// [`Error::InboxIdRequired`], [`Error::NotFound`] for the inbox.
pub async fn list(app: &App, caller: &Caller, filter: EventFilter) -> Result<Page<WholeEvent>, Error> {
    let (inbox_id, event_types) = filter.checked(caller)?;
    let end = filter.end.unwrap_or_else(|| app.clock.now() + Duration::MILLISECOND);
    let start = filter.start.unwrap_or(end - DEFAULT_WINDOW);
    if start > end {
        return Err(Error::invalid("start", "start lies after end"));
    }
    let (pod_id, inbox_id) = access::listed(caller, inbox_id)?;
    if let Some(inbox_id) = &inbox_id {
        inboxes::find(app, caller, inbox_id).await?;
    }
    let query = EventQuery {
        organization_id: caller.organization.organization_id,
        pod_id,
        inbox_id,
        event_types,
        trust: filter.trust,
        start,
        end,
        // Without the permission to read messages an event has only ids and its type.
        with_mail: access::holds(caller, Permission::MessageRead),
        readable: access::readable(caller),
        largest_body: MAX_PAGE_BODY_BYTES / filter.page.limit.max(1),
        page: filter.page,
    };
    let mut page = app.store.list_events(&query).await?;
    page.items.retain(|event| access::may_receive(caller, event.record.event.event_type));
    leave_out_hidden(app, query.organization_id, query.readable, threads_of(page.items.iter_mut())).await?;
    Ok(page)
}

//! Reading what happened.

use time::{Duration, OffsetDateTime};

use super::feed::threads_of;
use super::threads::leave_out_hidden;
use super::{App, inboxes};
use crate::Error;
use crate::model::{Caller, EventType, InboxId, Page, PageRequest, Permission};
use crate::ports::{EventQuery, WholeEvent};
use crate::rules::access;

/// How far back a list reaches when the caller names no start (`service.md`, section 4, Events and webhooks).
const DEFAULT_WINDOW: Duration = Duration::days(7);
/// How many octets of bodies one page holds at most; shared among its rows.
pub(super) const LARGEST_PAGE: u32 = 8 * 1024 * 1024;

/// Which events the caller asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Only those of this inbox.
    pub inbox_id: Option<InboxId>,
    /// Only those of one of these kinds.
    pub event_types: Vec<String>,
    /// Not before this.
    pub start: Option<OffsetDateTime>,
    /// Before this.
    pub end: Option<OffsetDateTime>,
    /// Which page.
    pub page: PageRequest,
}

impl EventFilter {
    /// The inbox and the kinds that a caller asks for, as far as they may.
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

/// The kinds of event of these names.
pub(super) fn types_of(names: &[String]) -> Result<Vec<EventType>, Error> {
    names.iter().map(|name| EventType::named(name).ok_or_else(|| Error::UnknownEventType(name.clone()))).collect()
}

/// Lists events that the caller reaches, newest first, those of the last seven days unless another window is named.
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
        start,
        end,
        // Without the right to read messages an event still says what happened to which one.
        with_mail: access::holds(caller, Permission::MessageRead),
        readable: access::readable(caller),
        largest_body: LARGEST_PAGE / filter.page.limit.max(1),
        page: filter.page,
    };
    let mut page = app.store.list_events(&query).await?;
    leave_out_hidden(app, query.organization_id, query.readable, threads_of(page.items.iter_mut())).await?;
    Ok(page)
}

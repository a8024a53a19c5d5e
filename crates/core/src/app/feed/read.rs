//! Reads of a batch of the feed.

use std::collections::HashMap;

use super::shown::{among, threads_of};
use super::{Watched, place_of, sequence};
use crate::Error;
use crate::app::App;
use crate::app::events::{EventFilter, MAX_PAGE_BODY_BYTES};
use crate::app::threads::leave_out_hidden;
use crate::model::feed::{FeedPosition, FeedSelection, ScopeFilter};
use crate::model::{Caller, EventId, HidingLabels, OrganizationId, Permission};
use crate::ports::{EventKey, FeedPage, FeedQuery, Placed, WholeEvent};
use crate::rules::access;
use crate::rules::webhooks::truncation::MAX_BODY_BYTES;

/// Maximum of events that one query examines, selected or not.
const MAX_EVENTS_READ: u32 = 5_000;

/// Filter of a feed page. It has the fields of an event list, but the order is oldest first and there is no default
/// window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedFilter {
    /// Exclusive start of the page.
    pub after: NextPage,
    /// Event types and inbox to include, and the page. Of the page, only the limit has an effect.
    pub events: EventFilter,
}

/// Exclusive start of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextPage {
    /// After an event.
    Behind(EventId),
    /// After a position.
    From(FeedPosition),
}

/// Returns a page of the feed for a caller, oldest first. A page before the end may hold fewer events than its limit,
/// even none.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::MissingPermission`], [`Error::UnknownEventType`], [`Error::InboxIdRequired`],
/// [`Error::NotFound`] for the inbox or the event, [`Error::CursorExpired`].
pub async fn read_on(app: &App, caller: &Caller, filter: &FeedFilter) -> Result<FeedPage, Error> {
    let (inbox_id, event_types) = filter.events.checked(caller)?;
    if let Some(inbox_id) = &inbox_id {
        crate::app::inboxes::find(app, caller, inbox_id).await?;
    }
    let organization_id = caller.organization.organization_id;
    let after = match filter.after {
        NextPage::Behind(event_id) => place_of(app, organization_id, event_id).await?,
        NextPage::From(place) => place,
    };
    sequence(app, &[organization_id]).await?;
    let named = inbox_id.map(|inbox_id| ScopeFilter { pod_ids: Vec::new(), inbox_ids: vec![inbox_id] });
    let selection = FeedSelection {
        event_types,
        trust: filter.events.trust.clone(),
        among: named.into_iter().chain(among(&caller.reach)).collect(),
        start: filter.events.start,
        end: filter.events.end,
    };
    read_selected(app, caller, after, selection, filter.events.page.limit).await
}

/// Returns a page of a subscription for a caller, as [`read_on`] does.
///
/// # Errors
/// [`Error::NotFound`] for the event, [`Error::CursorExpired`].
pub async fn read_watched(
    app: &App,
    caller: &Caller,
    after: NextPage,
    watched: &Watched,
    limit: u32,
) -> Result<FeedPage, Error> {
    let organization_id = caller.organization.organization_id;
    let after = match after {
        NextPage::Behind(event_id) => place_of(app, organization_id, event_id).await?,
        NextPage::From(place) => place,
    };
    sequence(app, &[organization_id]).await?;
    read_selected(app, caller, after, watched.selection(caller), limit).await
}

/// Reads a page of selected events with what the caller may see of them.
async fn read_selected(
    app: &App,
    caller: &Caller,
    after: FeedPosition,
    selection: FeedSelection,
    limit: u32,
) -> Result<FeedPage, Error> {
    let organization_id = caller.organization.organization_id;
    let query = FeedQuery {
        organization_id,
        after,
        selection,
        limit,
        most: MAX_EVENTS_READ,
        with_mail: access::holds(caller, Permission::MessageRead),
        readable: access::readable(caller),
        largest_body: MAX_PAGE_BODY_BYTES / limit.max(1),
    };
    let mut page = app.store.read_feed(&query).await?;
    page.events.retain(|(_, event)| access::may_receive(caller, event.record.event.event_type));
    let threads = threads_of(page.events.iter_mut().map(|(_, event)| event));
    leave_out_hidden(app, organization_id, query.readable, threads).await?;
    Ok(page)
}

/// Reads a batch of an organization's feed for the service itself, with the mail of its events. [`share`](super::share)
/// decides which part a caller sees. With a `reader`, threads exclude the mail that the reader may not see.
///
/// # Errors
/// [`Error::Store`].
pub async fn stretch(
    app: &App,
    organization_id: OrganizationId,
    after: FeedPosition,
    selection: FeedSelection,
    limit: u32,
    reader: Option<&Caller>,
) -> Result<FeedPage, Error> {
    let query = FeedQuery {
        organization_id,
        after,
        selection,
        limit,
        most: MAX_EVENTS_READ,
        with_mail: true,
        readable: HidingLabels::ALL,
        // One event never exceeds this size, so none of its bodies may exceed it either.
        largest_body: u32::try_from(MAX_BODY_BYTES).unwrap_or(u32::MAX),
    };
    let mut page = app.store.read_feed(&query).await?;
    if let Some(reader) = reader {
        let threads = threads_of(page.events.iter_mut().map(|(_, event)| event));
        leave_out_hidden(app, organization_id, access::readable(reader), threads).await?;
    }
    Ok(page)
}

/// Reads events that have just received these consecutive positions, in the form in which [`stretch`] returns events.
///
/// # Errors
/// [`Error::Store`].
pub async fn events_of(app: &App, placed: &[Placed]) -> Result<FeedPage, Error> {
    let keys: Vec<EventKey> = placed.iter().map(|placed| placed.event).collect();
    let largest_body = u32::try_from(MAX_BODY_BYTES).unwrap_or(u32::MAX);
    let mut found: HashMap<EventId, WholeEvent> = app
        .store
        .whole_events(&keys, largest_body)
        .await?
        .into_iter()
        .map(|event| (event.record.event.event_id, event))
        .collect();
    let events = placed.iter().filter_map(|placed| Some((placed.place, found.remove(&placed.event.event_id)?)));
    let events = events.collect();
    Ok(FeedPage { events, place: placed.last().map_or(FeedPosition::START, |last| last.place), is_end: true })
}

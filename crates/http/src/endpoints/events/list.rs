//! `GET /v0/events`

use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::header::ACCEPT;
use inboxd_core::app::events::{self, EventFilter};
use inboxd_core::app::feed::{FeedFilter, NextPage, head, read_on};
use inboxd_core::model::feed::FeedPosition;
use inboxd_core::model::{
    Caller, Cursor, Direction, Event, EventId, EventType, InboxId, Page, PageRequest, Permission,
};
use inboxd_core::ports::FeedPage;
use inboxd_core::rules::access;
use inboxd_core::rules::trust::{Verdict, passes};
use inboxd_core::{Error, Resource};
use time::OffsetDateTime;

use super::follow;
use crate::auth::AuthenticatedRequest;
use crate::error::ApiError;
use crate::live::{wait_for_page, waiting_caller};
use crate::path;
use crate::query::formats::{date_time, enumerated_verdicts, number, text, words_of};
use crate::query::{OrderParams, PageParams, QueryReader, query_params};
use crate::views::EventList;

/// Maximum wait of a request, in seconds.
pub(crate) const MAX_WAIT_SECONDS: u64 = 60;
/// Media type of Server-Sent Events in `Accept`.
const EVENT_STREAM: &str = "text/event-stream";

query_params! {
    /// Inbox of events.
    pub(crate) struct EventInboxParams {
        /// Only events of this inbox.
        inbox_id: Option<String> = text(),
    }
}

query_params! {
    /// Filters of events.
    pub(crate) struct EventParams {
        /// Only events of these types.
        event_types: Vec<String> = words_of(event_types),
        /// Of received messages, only the events of those with one of these verdicts of trust; events of other kinds are
        /// not concerned.
        trust: Vec<Verdict> = enumerated_verdicts(),
        /// Start of the time span, inclusive; by default seven days before `end`.
        start: Option<OffsetDateTime> = date_time(),
        /// End of the time span, exclusive; by default the time of the request.
        end: Option<OffsetDateTime> = date_time(),
    }
}

query_params! {
    /// Position in the feed and long poll.
    pub(crate) struct FeedParams {
        /// Id of the last event that the client has processed. The response holds every later event, oldest first, and no
        /// default time span applies.
        after_event_id: Option<String> = text(),
        /// Maximum wait for an event if there is none yet, in seconds. Without `after_event_id` the request waits for
        /// events after the request.
        wait: Option<u64> = number(0..=MAX_WAIT_SECONDS),
    }
}

#[utoipa::path(
    get,
    path = "/v0/events",
    operation_id = "list_events",
    tag = "Events",
    summary = "List or follow events",
    description = "Lists the events in the scope of the key, newest first; by default those of the last seven days.\n\nWith `after_event_id` it returns every later event, oldest first and each once, independent of the order of storage. A client that stores the id of the last processed event misses none. With `wait` the request waits for an event if there is none yet. With `Accept: text/event-stream` the response is a stream of Server-Sent Events that resumes after `after_event_id` or the header `Last-Event-ID`, or starts with new events. Requires `event_read`.",
    params(EventInboxParams, EventParams, FeedParams, PageParams, OrderParams),
    responses((status = 200, description = "A page of events", content(
        (EventList = "application/json"),
        (String = "text/event-stream")
    )))
)]
pub(crate) async fn handle(call: AuthenticatedRequest) -> Result<HttpResponse, ApiError> {
    let mut query = call.query();
    let inbox_id = inbox_id(&mut query);
    if let Some(inbox_id) = &inbox_id {
        access::require_inbox(&call.caller, inbox_id)?;
    }
    call.require(Permission::EventRead)?;
    let filter = filter(&mut query, inbox_id);
    let FeedParams { after_event_id, wait } = FeedParams::read(&mut query);
    let after = after_event_id.filter(|id| !id.trim().is_empty());
    let wait = wait.map(Duration::from_secs);
    let direction = query.direction();
    if wants_stream(&call) {
        query.finish()?;
        let last = call
            .request()
            .headers()
            .get("last-event-id")
            .and_then(|id| id.to_str().ok())
            .filter(|id| !id.trim().is_empty());
        let after = last.map(ToOwned::to_owned).or(after).map(|id| event_id(&id)).transpose()?;
        return follow::stream(&call, call.key_hash, filter, after).await;
    }
    if after.is_none() && wait.is_none() {
        let paging = query.page(&call, direction)?;
        let filter = EventFilter { page: paging.request.clone(), ..filter };
        let page = events::list(call.app(), &call.caller, filter).await?;
        return Ok(HttpResponse::Ok().json(EventList::new(page, &paging)));
    }
    let paging = query.page(&call, Direction::Ascending)?;
    let after = match (&paging.request.after, after) {
        (Some(place), _) => NextPage::From(place_of(place)),
        (None, Some(id)) => NextPage::Behind(event_id(&id)?),
        (None, None) => NextPage::From(head(call.app(), call.caller.organization.organization_id).await?),
    };
    let filter = FeedFilter { after, events: EventFilter { page: paging.request.clone(), ..filter } };
    let page = read_or_wait(&call, filter, wait.unwrap_or_default()).await?;
    let next = (!page.is_end).then(|| cursor_of(page.place));
    let items = page.events.into_iter().map(|(_, event)| event).collect();
    Ok(HttpResponse::Ok().json(EventList::new(Page { items, next }, &paging)))
}

/// Reads the inbox of an event list.
pub(crate) fn inbox_id(query: &mut QueryReader) -> Option<InboxId> {
    EventInboxParams::read(query).inbox_id.map(|text| path::inbox_id(&text))
}

/// Reads the filter of an event list.
pub(crate) fn filter(query: &mut QueryReader, inbox_id: Option<InboxId>) -> EventFilter {
    let EventParams { event_types, trust, start, end } = EventParams::read(query);
    EventFilter { inbox_id, event_types, trust, start, end, page: PageRequest::default() }
}

/// Returns the names of all types of events.
pub(crate) fn event_types() -> Vec<&'static str> {
    EventType::ALL.iter().map(|kind| kind.as_str()).collect()
}

/// Returns whether the caller accepts Server-Sent Events only; a caller that also accepts JSON receives JSON.
fn wants_stream(call: &AuthenticatedRequest) -> bool {
    let accept = call.request().headers().get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    let kinds: Vec<&str> = accept.split(',').filter_map(|kind| kind.split(';').next()).map(str::trim).collect();
    let names = |name: &str| kinds.iter().any(|kind| kind.eq_ignore_ascii_case(name));
    names(EVENT_STREAM) && !names("application/json")
}

/// Returns the events after a position, at once or as soon as one exists.
async fn read_or_wait(call: &AuthenticatedRequest, filter: FeedFilter, wait: Duration) -> Result<FeedPage, ApiError> {
    let FeedFilter { after, events } = filter;
    let EventFilter { inbox_id, event_types: types, trust, .. } = &events;
    let may_change = |event: &Event| {
        (types.is_empty() || types.iter().any(|kind| kind == event.event_type.as_str()))
            && passes(trust, event.event_type, event.verdict())
            && inbox_id.as_ref().is_none_or(|inbox_id| event.inbox_id.as_ref() == Some(inbox_id))
    };
    let read =
        async |caller: &Caller, after| read_on(call.app(), caller, &FeedFilter { after, events: events.clone() }).await;
    wait_for_page(waiting_caller(call), wait, after, may_change, read).await
}

/// Parses the id of the event that the caller resumes after.
pub(crate) fn event_id(text: &str) -> Result<EventId, ApiError> {
    text.trim().parse().map_err(|_| Error::not_found(Resource::Event, path::harmless(text)).into())
}

pub(crate) fn cursor_of(place: FeedPosition) -> Cursor {
    Cursor { time: place.at, id: place.position.to_string() }
}

pub(crate) fn place_of(cursor: &Cursor) -> FeedPosition {
    FeedPosition { at: cursor.time, position: cursor.id.parse().unwrap_or(0) }
}

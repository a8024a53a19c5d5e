//! The calendar of an inbox, and one of its events.

use inboxd_mail::{expand, moved_to};

use super::{missing, parse_id};
use crate::Error;
use crate::app::{App, scope};
use crate::model::permissions::MessageRead;
use crate::model::{CalendarDate, CalendarEvent, CalendarSummary, DatedEventId, Inbox, InboxId};
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::calendar::DEFAULT_ZONE;

/// The calendar of an inbox.
#[derive(Debug, Clone, PartialEq)]
pub struct InboxCalendar {
    /// The inbox.
    pub inbox: Inbox,
    /// Its events.
    pub summary: CalendarSummary,
}

/// Returns the calendar of an inbox.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::NotTheirInbox`], [`Error::NotFound`], [`Error::PodOutOfScope`].
pub async fn get(
    app: &App,
    caller: &AuthorizedCaller<MessageRead>,
    inbox_id: &InboxId,
) -> Result<InboxCalendar, Error> {
    let inbox = scope::find_inbox(app, caller, inbox_id).await?;
    let summary = app.store.calendar_summary(inbox.organization_id, &inbox.inbox_id).await?;
    Ok(InboxCalendar { inbox, summary })
}

/// Returns an event by its id, or one date of a recurring event by its dated id.
///
/// # Errors
/// As [`get()`], and [`Error::NotFound`] for the event or date.
pub async fn event(
    app: &App,
    caller: &AuthorizedCaller<MessageRead>,
    inbox_id: &InboxId,
    event_id: &str,
) -> Result<CalendarDate, Error> {
    let inbox = scope::find_inbox(app, caller, inbox_id).await?;
    let named = parse_id(event_id)?;
    let rows = app.store.calendar_event(inbox.organization_id, &inbox.inbox_id, &named).await?;
    let is_instance = named.original_start.is_some();
    if let Some(event) = rows.iter().find(|row| row.event_id == named) {
        return Ok(CalendarDate { event: event.clone(), is_instance });
    }
    let series = rows.into_iter().find(|row| row.event_id.original_start.is_none() && row.is_series());
    let date = series.and_then(|series| date_of(series, named));
    date.map(|event| CalendarDate { event, is_instance }).ok_or_else(|| missing(event_id))
}

/// Returns a date that the recurrence of an event gives.
fn date_of(series: CalendarEvent, id: DatedEventId) -> Option<CalendarEvent> {
    let start = id.original_start.clone()?;
    let at = moved_to(&series.times, &start, DEFAULT_ZONE)?.start_at?;
    let window = (at, at.checked_add(1)?);
    let found = expand(&series.times, series.entry.recurrence.as_ref(), DEFAULT_ZONE, window, 10);
    let times = found.into_iter().find(|times| times.start == start)?;
    Some(CalendarEvent { event_id: id, times, ..series })
}

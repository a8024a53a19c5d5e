//! The calendar of an inbox, and one of its events.

use inboxd_mail::{CalendarEntry, expand, moved_to};

use super::{missing, parse_id};
use crate::Error;
use crate::app::{App, scope};
use crate::model::permissions::MessageRead;
use crate::model::{CalendarDate, CalendarEvent, CalendarSummary, DatedEventId, Inbox, InboxId};
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::calendar::{DEFAULT_ZONE, version};

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

/// An event in its version.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundEvent {
    /// The event, or the date.
    pub date: CalendarDate,
    /// Version, which `If-Match` names.
    pub version: String,
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
) -> Result<FoundEvent, Error> {
    let inbox = scope::find_inbox(app, caller, inbox_id).await?;
    let Named { id, rows, event } = named_event(app, &inbox, event_id).await?;
    let version = version(&rows, &id).unwrap_or_default();
    Ok(FoundEvent { date: CalendarDate { event, is_instance: id.original_start.is_some() }, version })
}

/// An event that a caller names.
pub(super) struct Named {
    pub(super) id: DatedEventId,
    /// The event, and the date if it was changed before.
    pub(super) rows: Vec<CalendarEvent>,
    /// The event, or the date with the times and texts that it has now.
    pub(super) event: CalendarEvent,
}

impl Named {
    /// Returns the event in the state from which a change starts. A date that the recurrence gives becomes one of its
    /// own.
    pub(super) fn before(&self) -> CalendarEvent {
        let event = self.event.clone();
        if self.id.original_start.is_none() || self.rows.iter().any(|row| row.event_id == self.id) {
            return event;
        }
        own_date(event)
    }
}

/// Returns a date that the recurrence gives as one of its own, before its first change.
pub(super) fn own_date(event: CalendarEvent) -> CalendarEvent {
    let entry = CalendarEntry {
        recurrence_id: event.event_id.original_start.clone(),
        recurrence_at: event.times.start_at.filter(|_| !event.times.all_day),
        recurrence: None,
        times: Some(event.times.clone()),
        ..event.entry
    };
    CalendarEvent { entry, revision: 0, request: None, ..event }
}

/// Finds an event, or a date of one.
pub(super) async fn named_event(app: &App, inbox: &Inbox, event_id: &str) -> Result<Named, Error> {
    let id = parse_id(event_id)?;
    let rows = app.store.calendar_event(inbox.organization_id, &inbox.inbox_id, &id).await?;
    let stored = rows.iter().find(|row| row.event_id == id).cloned();
    let series = || rows.iter().find(|row| row.event_id.original_start.is_none() && row.is_series()).cloned();
    let event = stored.or_else(|| date_of(series()?, id.clone())).ok_or_else(|| missing(event_id))?;
    Ok(Named { id, rows, event })
}

/// Returns a date that the recurrence of an event gives.
pub(super) fn date_of(series: CalendarEvent, id: DatedEventId) -> Option<CalendarEvent> {
    let start = id.original_start.clone()?;
    let at = moved_to(&series.times, &start, DEFAULT_ZONE)?.start_at?;
    let window = (at, at.checked_add(1)?);
    let found = expand(&series.times, series.entry.recurrence.as_ref(), DEFAULT_ZONE, window, 10);
    let times = found.into_iter().find(|times| times.start == start)?;
    Some(CalendarEvent { event_id: id, times, ..series })
}

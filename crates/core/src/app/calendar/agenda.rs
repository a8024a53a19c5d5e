//! Dates of a calendar within a window.

use time::{Duration, OffsetDateTime};

use super::{missing, parse_id};
use crate::Error;
use crate::app::{App, scope};
use crate::model::permissions::MessageRead;
use crate::model::{CalendarDate, CalendarEvent, Cursor, InboxId, Page, PageRequest};
use crate::ports::WorkOwner;
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::calendar::{DateQuery, MAX_DATES, first_dates};
use crate::rules::free_busy::{BusyPeriod, busy_periods, may_lack_dates};

/// Length of a window without an end.
const DEFAULT_WINDOW: Duration = Duration::days(90);
/// Maximum length of a window.
const MAX_WINDOW: Duration = Duration::days(366);
/// Maximum number of dates that free/busy times come from.
const MAX_BUSY_DATES: usize = 10_000;
/// Approximate number of bytes of work that one event takes.
const EVENT_WEIGHT: usize = 4 * 1024;

/// Window of an agenda, as the caller names it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AgendaWindow {
    /// Start; by default now.
    pub after: Option<OffsetDateTime>,
    /// End; by default 90 days after the start.
    pub before: Option<OffsetDateTime>,
    /// Whether dates that began before the window are included.
    pub include_overlapping: bool,
}

impl AgendaWindow {
    fn bounds(self, now: OffsetDateTime) -> Result<(OffsetDateTime, OffsetDateTime), Error> {
        let after = self.after.unwrap_or(now);
        let before = self.before.or_else(|| after.checked_add(DEFAULT_WINDOW)).unwrap_or(after);
        if before - after > MAX_WINDOW {
            return Err(Error::QueryRangeTooWide("the window has more than 366 days".to_owned()));
        }
        Ok((after, before))
    }
}

/// Returns a page of the dates of an inbox within a window, in order of their start, without cancelled ones.
///
/// # Errors
/// [`Error::QueryRangeTooWide`], [`Error::InboxOutOfScope`], [`Error::NotTheirInbox`], [`Error::NotFound`],
/// [`Error::PodOutOfScope`].
pub async fn agenda(
    app: &App,
    caller: &AuthorizedCaller<MessageRead>,
    inbox_id: &InboxId,
    window: AgendaWindow,
    page: &PageRequest,
) -> Result<Page<CalendarDate>, Error> {
    let (after, before) = window.bounds(app.clock.now())?;
    let inbox = scope::find_inbox(app, caller, inbox_id).await?;
    let (organization_id, inbox_id) = (inbox.organization_id, &inbox.inbox_id);
    let events = app.store.calendar_events_between(organization_id, inbox_id, after, before).await?;
    page_of(app, WorkOwner::Organization(organization_id), events, (after, before), window, page).await
}

/// Returns a page of the dates of one recurring event within a window.
///
/// # Errors
/// As [`agenda`], and [`Error::NotFound`] for the event.
pub async fn instances(
    app: &App,
    caller: &AuthorizedCaller<MessageRead>,
    inbox_id: &InboxId,
    event_id: &str,
    window: AgendaWindow,
    page: &PageRequest,
) -> Result<Page<CalendarDate>, Error> {
    let bounds = window.bounds(app.clock.now())?;
    let inbox = scope::find_inbox(app, caller, inbox_id).await?;
    let named = parse_id(event_id)?;
    let events = app.store.calendar_series(inbox.organization_id, &inbox.inbox_id, named.event_id).await?;
    let is_series = events.first().is_some_and(CalendarEvent::is_series);
    if named.original_start.is_some() || !is_series {
        return Err(missing(event_id));
    }
    page_of(app, WorkOwner::Organization(inbox.organization_id), events, bounds, window, page).await
}

/// Free/busy times of an inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreeBusy {
    /// Start of the window.
    pub after: OffsetDateTime,
    /// End of the window.
    pub before: OffsetDateTime,
    /// Busy periods by their start.
    pub periods: Vec<BusyPeriod>,
}

/// Returns the busy periods of an inbox within a window, without what makes it busy.
///
/// # Errors
/// As [`agenda`]; [`Error::QueryRangeTooWide`] also for a window with too many dates.
pub async fn free_busy(
    app: &App,
    caller: &AuthorizedCaller<MessageRead>,
    inbox_id: &InboxId,
    window: AgendaWindow,
) -> Result<FreeBusy, Error> {
    let (after, before) = window.bounds(app.clock.now())?;
    let inbox = scope::find_inbox(app, caller, inbox_id).await?;
    let events = app.store.calendar_events_between(inbox.organization_id, &inbox.inbox_id, after, before).await?;
    let seconds = (after.unix_timestamp(), before.unix_timestamp());
    let limit = MAX_BUSY_DATES + 1;
    let query = DateQuery { window: seconds, include_overlapping: true, after: None, limit };
    let weight = events.len().saturating_mul(EVENT_WEIGHT);
    let periods = move || {
        let dates = first_dates(&events, &query);
        let is_whole = dates.len() <= MAX_BUSY_DATES && !may_lack_dates(&dates);
        is_whole.then(|| busy_periods(&dates, seconds))
    };
    let periods = app.compute(WorkOwner::Organization(inbox.organization_id), weight, periods).await?;
    let too_many = || {
        let message = format!("the window has more than {MAX_BUSY_DATES} dates, or {MAX_DATES} of one event");
        Error::QueryRangeTooWide(message)
    };
    Ok(FreeBusy { after, before, periods: periods.ok_or_else(too_many)? })
}

/// Expands events and cuts the page out of their dates.
async fn page_of(
    app: &App,
    owner: WorkOwner,
    events: Vec<CalendarEvent>,
    (after, before): (OffsetDateTime, OffsetDateTime),
    window: AgendaWindow,
    page: &PageRequest,
) -> Result<Page<CalendarDate>, Error> {
    let query = DateQuery {
        window: (after.unix_timestamp(), before.unix_timestamp()),
        include_overlapping: window.include_overlapping,
        after: page.after.as_ref().map(|last| (last.time.unix_timestamp(), last.id.clone())),
        // One more shows whether more follow.
        limit: usize::try_from(page.limit).unwrap_or(usize::MAX).saturating_add(1),
    };
    let weight = events.len().saturating_mul(EVENT_WEIGHT);
    let dates = app.compute(owner, weight, move || first_dates(&events, &query)).await?;
    Ok(Page::of(dates, page.limit, place))
}

fn place(date: &CalendarDate) -> Cursor {
    let start = date.event.times.start_at.and_then(|start| OffsetDateTime::from_unix_timestamp(start).ok());
    Cursor { time: start.unwrap_or(OffsetDateTime::UNIX_EPOCH), id: date.event.event_id.to_string() }
}

//! Starts and ends of calendar events, which the feed tells.

use inboxd_mail::{AttendeeStatus, EntryStatus, EntryTimes, expand, last_end};
use time::{Duration, OffsetDateTime};

use crate::model::{CalendarDate, CalendarEvent, EventType};
use crate::rules::calendar::{DEFAULT_ZONE, DateQuery, MAX_DATES, first_dates};

/// Age after which a start or end is no longer told, as after a long outage.
pub const MAX_AGE: Duration = Duration::hours(24);
/// Span in which the next start or end of a recurring event is looked for. Behind it, it is looked for again.
const HORIZON: Duration = Duration::days(400);
/// Dates that the next start or end is chosen from: more than take place at the same time.
const MAX_NEXT_DATES: usize = 64;

/// Stored times of an event, beside its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventSchedule {
    /// End of the last date; `None` for an event that repeats for ever.
    pub ends_at: Option<OffsetDateTime>,
    /// Next start or end to tell, or a time at which to look for one; `None` without any.
    pub next_moment_at: Option<OffsetDateTime>,
}

impl EventSchedule {
    /// Returns the times of an event that is stored now.
    #[must_use]
    pub fn of(event: &CalendarEvent, now: OffsetDateTime) -> Self {
        let ends_at = last_end(&event.times, event.entry.recurrence.as_ref(), DEFAULT_ZONE).and_then(instant);
        Self { ends_at, next_moment_at: next_moment(event, ends_at, now) }
    }
}

/// Start or end of an event or one of its dates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalendarMoment {
    /// [`EventType::CalendarEventStarting`] or [`EventType::CalendarEventEnding`].
    pub kind: EventType,
    /// Unix second.
    pub at: i64,
    /// The event or date.
    pub date: CalendarDate,
}

/// Returns the starts and ends of an event with its changed dates from one time to another, both inclusive, in order.
#[must_use]
pub fn moments(events: &[CalendarEvent], from: OffsetDateTime, to: OffsetDateTime) -> Vec<CalendarMoment> {
    let (from, to) = (from.unix_timestamp(), to.unix_timestamp());
    // A date that ends at the beginning of the window does not overlap it.
    let window = (from.saturating_sub(1), to.saturating_add(1));
    let query = DateQuery { window, include_overlapping: true, after: None, limit: MAX_DATES };
    let dates = first_dates(events, &query).into_iter().filter(|date| is_told(&date.event));
    let both = dates.flat_map(|date| {
        let EntryTimes { start_at, end_at, .. } = date.event.times;
        let of = |kind, at: Option<i64>| at.map(|at| CalendarMoment { kind, at, date: date.clone() });
        [of(EventType::CalendarEventStarting, start_at), of(EventType::CalendarEventEnding, end_at)]
    });
    let mut moments: Vec<CalendarMoment> = both.flatten().filter(|moment| (from..=to).contains(&moment.at)).collect();
    // Of the same second, the date that began first ends before the other one starts.
    moments.sort_by_key(|moment| (moment.at, moment.date.event.times.start_at));
    moments
}

/// Returns whether the starts and ends of an event are told: it is of the inbox, or the inbox accepted the invitation, so
/// that senders of invitations alone cause no events.
fn is_told(event: &CalendarEvent) -> bool {
    let is_accepted = matches!(event.response, Some(AttendeeStatus::Accepted | AttendeeStatus::Tentative));
    (event.is_own() || is_accepted) && event.entry.status != EntryStatus::Cancelled
}

/// Returns the first start or end of an event after a time, or the end of the horizon for one that goes on behind it.
fn next_moment(
    event: &CalendarEvent,
    ends_at: Option<OffsetDateTime>,
    after: OffsetDateTime,
) -> Option<OffsetDateTime> {
    if !is_told(event) || ends_at.is_some_and(|end| end <= after) {
        return None;
    }
    let horizon = after.checked_add(HORIZON)?;
    let window = (after.unix_timestamp(), horizon.unix_timestamp());
    let dates = expand(&event.times, event.entry.recurrence.as_ref(), DEFAULT_ZONE, window, MAX_NEXT_DATES);
    let both = dates.iter().flat_map(|date| [date.start_at, date.end_at]).flatten();
    let first = both.filter(|at| *at > window.0).min().and_then(instant);
    first.or_else(|| Some(horizon).filter(|horizon| ends_at.is_none_or(|end| end > *horizon)))
}

fn instant(second: i64) -> Option<OffsetDateTime> {
    OffsetDateTime::from_unix_timestamp(second).ok()
}

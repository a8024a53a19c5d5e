//! Busy periods of a calendar (RFC 5545, section 3.6.4).

use std::collections::BTreeMap;

use inboxd_mail::{AttendeeStatus, EntryStatus};

use super::calendar::MAX_DATES;
use crate::model::{CalendarDate, CalendarEventId};

/// Period in which an inbox is busy, in Unix seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct BusyPeriod {
    /// Start, within the window.
    pub start: i64,
    /// End, within the window.
    pub end: i64,
    /// Whether nothing in it is certain.
    pub is_tentative: bool,
}

/// Returns the busy periods of dates within a window, by start. Periods of one kind neither overlap nor touch. Dates that
/// the inbox declined are free; those that are not certain or not answered are tentative.
#[must_use]
pub fn busy_periods(dates: &[CalendarDate], (after, before): (i64, i64)) -> Vec<BusyPeriod> {
    let mut found: Vec<BusyPeriod> = dates.iter().filter_map(|date| period(date, (after, before))).collect();
    found.sort_unstable_by_key(|period| (period.is_tentative, period.start, period.end));
    let mut merged: Vec<BusyPeriod> = Vec::new();
    for period in found {
        match merged.last_mut() {
            Some(last) if last.is_tentative == period.is_tentative && period.start <= last.end => {
                last.end = last.end.max(period.end);
            }
            _ => merged.push(period),
        }
    }
    merged.sort_unstable();
    merged
}

/// Returns whether one event has as many dates as an expansion returns, so that further ones may be missing.
#[must_use]
pub fn may_lack_dates(dates: &[CalendarDate]) -> bool {
    let mut counts: BTreeMap<CalendarEventId, usize> = BTreeMap::new();
    for date in dates {
        *counts.entry(date.event.event_id.event_id).or_default() += 1;
    }
    counts.into_values().any(|count| count >= MAX_DATES)
}

fn period(date: &CalendarDate, (after, before): (i64, i64)) -> Option<BusyPeriod> {
    let event = &date.event;
    let (start, end) = (event.times.start_at?.max(after), event.times.end_at?.min(before));
    let is_free = event.entry.status == EntryStatus::Cancelled || event.response == Some(AttendeeStatus::Declined);
    let is_tentative = event.entry.status == EntryStatus::Tentative
        || matches!(event.response, Some(AttendeeStatus::NeedsAction | AttendeeStatus::Tentative));
    (!is_free && start < end).then_some(BusyPeriod { start, end, is_tentative })
}

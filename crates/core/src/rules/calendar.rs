//! Which messages change which events (RFC 5546), and which dates events have.

use std::collections::{BTreeMap, BTreeSet};

use inboxd_mail::{CalendarEntry, EntryStatus, EntryTimes, expand};

use crate::model::{CalendarDate, CalendarEvent, DatedEventId, EventAuthority};

/// Time zone of events without one.
pub const DEFAULT_ZONE: &str = "UTC";
/// Maximum number of events and changed dates of an inbox.
pub const MAX_EVENTS: u64 = 1_000;
/// Maximum number of dates of one event within a window.
const MAX_DATES: usize = 1_000;

/// Returns whether a message may change an event: it comes from the sender that created it, authenticated if that one
/// was.
#[must_use]
pub fn may_change(known: &EventAuthority, sender: &EventAuthority) -> bool {
    known.from == sender.from
        && known.organizer == sender.organizer
        && (sender.is_authenticated || !known.is_authenticated)
}

/// Returns whether an entry is newer than another one about the same event (RFC 5546, section 2.1.5).
#[must_use]
pub fn is_newer(entry: &CalendarEntry, known: &CalendarEntry) -> bool {
    (entry.sequence, entry.stamp) > (known.sequence, known.stamp)
}

/// Dates to select from those of a calendar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateQuery {
    /// Window in Unix seconds: start, inclusive, and end, exclusive.
    pub window: (i64, i64),
    /// Whether dates that began before the window and last into it are included.
    pub include_overlapping: bool,
    /// Start and id of the last date before those to return.
    pub after: Option<(i64, String)>,
    /// Maximum number of dates.
    pub limit: usize,
}

/// Returns the first dates of events, in order of their start, without cancelled ones.
///
/// Each changed date replaces the date that the recurrence gives to its event.
#[must_use]
pub fn first_dates(events: &[CalendarEvent], query: &DateQuery) -> Vec<CalendarDate> {
    let dates = events.iter().map(|event| &event.event_id).filter(|id| id.original_start.is_some());
    let changed: BTreeSet<&DatedEventId> = dates.collect();
    let mut first: BTreeMap<(i64, String), (&CalendarEvent, DatedEventId, EntryTimes)> = BTreeMap::new();
    for event in events.iter().filter(|event| event.entry.status != EntryStatus::Cancelled) {
        let is_series = event.is_series();
        for times in expand(&event.times, event.entry.recurrence.as_ref(), DEFAULT_ZONE, query.window, MAX_DATES) {
            let mut id = event.event_id.clone();
            if is_series {
                id.original_start = Some(times.start.clone());
            }
            let Some(start) = times.start_at else { continue };
            let is_late = query.include_overlapping || start >= query.window.0;
            if !is_late || (is_series && changed.contains(&id)) {
                continue;
            }
            let key = (start, id.to_string());
            if query.after.as_ref().is_none_or(|last| key > *last) {
                first.insert(key, (event, id, times));
            }
            // A calendar may have more dates than memory.
            if first.len() > query.limit {
                first.pop_last();
            }
        }
    }
    let date = |(event, event_id, times): (&CalendarEvent, DatedEventId, EntryTimes)| {
        let is_instance = event_id.original_start.is_some();
        CalendarDate { event: CalendarEvent { event_id, times, ..event.clone() }, is_instance }
    };
    first.into_values().map(date).collect()
}

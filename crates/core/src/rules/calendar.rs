//! Which messages change which events (RFC 5546), and which dates events have.

use std::collections::{BTreeMap, BTreeSet};

use inboxd_mail::{
    AttendeeStatus, CalendarEntry, CalendarPerson, EmailAddress, EntryStatus, EntryTimes, expand, local_time_at,
    normalized_address,
};

use crate::model::{
    CalendarDate, CalendarEvent, CalendarEventId, CalendarSettings, DatedEventId, EventAuthority, InboxId,
    ReplacedFields,
};

/// Time zone of events without one.
pub const DEFAULT_ZONE: &str = "UTC";
/// Maximum number of events and changed dates of an inbox.
pub const MAX_EVENTS: u64 = 1_000;
/// Maximum number of dates of one event within a window.
pub const MAX_DATES: usize = 1_000;

/// Returns whether a message may change an event: it comes from the sender that created it, authenticated if that one
/// was.
#[must_use]
pub fn may_change(known: &EventAuthority, sender: &EventAuthority) -> bool {
    // Former versions stored needless quotes.
    normalized_address(&known.from) == normalized_address(&sender.from)
        && known.organizer == sender.organizer
        && (sender.is_authenticated || !known.is_authenticated)
}

/// Returns whether an entry is newer than another one about the same event (RFC 5546, section 2.1.5).
#[must_use]
pub fn is_newer(entry: &CalendarEntry, known: &CalendarEntry) -> bool {
    (entry.sequence, entry.stamp) > (known.sequence, known.stamp)
}

/// Returns the local start that a series gives to the date of an entry; `None` for an entry about the whole event.
///
/// Programs write the start in a zone of their own, so it is found by its instant. Without one it is in the zone of the
/// series.
#[must_use]
pub fn original_start(series: Option<&CalendarEvent>, entry: &CalendarEntry) -> Option<String> {
    let written = entry.recurrence_id.as_ref()?;
    let of_series = || local_time_at(&series?.times, DEFAULT_ZONE, entry.recurrence_at?);
    Some(of_series().unwrap_or_else(|| written.clone()))
}

/// Returns whether an event is the changed date that an entry is about: by its instant, or by its text if the event was
/// stored without one. Its id may have the start in another zone, when it was stored before its series.
#[must_use]
pub fn is_date_of(event: &CalendarEvent, entry: &CalendarEntry) -> bool {
    event.event_id.original_start.is_some()
        && match event.entry.recurrence_at {
            Some(at) => entry.recurrence_at == Some(at),
            None => event.event_id.original_start == entry.recurrence_id,
        }
}

/// Returns the version of an event, or of one of its dates, among the event and its changed dates. `None` if neither is
/// among them.
#[must_use]
pub fn version(events: &[CalendarEvent], id: &DatedEventId) -> Option<String> {
    let revision = |id: &DatedEventId| events.iter().find(|event| event.event_id == *id).map(|event| event.revision);
    let whole = revision(&id.event_id.into());
    if id.original_start.is_none() {
        return whole.map(|whole| format!("\"rv-{whole}\""));
    }
    let date = revision(id);
    whole.or(date)?;
    Some(format!("\"occ-{}-{}\"", whole.unwrap_or_default(), date.unwrap_or_default()))
}

/// Returns the version of the settings of a calendar.
#[must_use]
pub fn settings_version(settings: Option<&CalendarSettings>) -> String {
    format!("\"rv-{}\"", settings.map_or(0, |settings| settings.revision))
}

/// Returns whether the header `If-Match` names a version.
#[must_use]
pub fn matches(if_match: &str, version: &str) -> bool {
    let bare = |tag: &str| tag.trim().trim_start_matches("W/").trim_matches('"').to_owned();
    if_match.split(',').any(|tag| tag.trim() == "*" || bare(tag) == bare(version))
}

/// Returns whether an attendee is an inbox, by its address with or without a tag.
#[must_use]
pub fn is_inbox(person: &CalendarPerson, inbox_id: &InboxId) -> bool {
    let address: Option<EmailAddress> = person.email.parse().ok();
    address.is_some_and(|address| address.without_tag() == inbox_id.as_str())
}

/// Returns the response of an inbox to an invitation; `None` if it names the inbox not.
#[must_use]
pub fn response(entry: &CalendarEntry, inbox_id: &InboxId) -> Option<AttendeeStatus> {
    let own = entry.attendees.iter().find(|attendee| is_inbox(&attendee.person, inbox_id));
    own.filter(|_| entry.organizer.is_some()).map(|attendee| attendee.status)
}

/// Returns whether a change of an event as a whole voids earlier changes of its dates.
#[must_use]
pub fn voids_dates(event: &CalendarEvent, before: &CalendarEvent) -> bool {
    event.event_id.original_start.is_none()
        && (event.entry.recurrence != before.entry.recurrence
            || event.times.start != before.times.start
            || event.times.timezone != before.times.timezone
            || event.entry.status == EntryStatus::Cancelled)
}

/// Returns the values that a change of an event as a whole replaced; `None` if it replaced none.
#[must_use]
pub fn replaced(before: &CalendarEvent, after: &CalendarEvent) -> Option<ReplacedFields> {
    fn old<T: PartialEq + Clone>(before: &T, after: &T) -> Option<T> {
        (before != after).then(|| before.clone())
    }
    let (entry, entry_after) = (&before.entry, &after.entry);
    let (times, times_after) = (&before.times, &after.times);
    let fields = ReplacedFields {
        title: old(&entry.title, &entry_after.title).flatten(),
        description: old(&entry.description, &entry_after.description).flatten(),
        location: old(&entry.location, &entry_after.location).flatten(),
        metadata: old(&before.metadata, &after.metadata).flatten(),
        status: old(&entry.status, &entry_after.status),
        all_day: old(&times.all_day, &times_after.all_day),
        start: old(&times.start, &times_after.start),
        end: old(&times.end, &times_after.end),
        timezone: old(&times.timezone, &times_after.timezone).flatten(),
        is_series: old(&before.is_series(), &after.is_series()),
        recurrence: old(&entry.recurrence, &entry_after.recurrence).flatten(),
        attendees: old(&entry.attendees, &entry_after.attendees),
    };
    Some(fields).filter(|fields| *fields != ReplacedFields::default())
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
    let dates = || events.iter().filter(|event| event.event_id.original_start.is_some());
    let changed: BTreeSet<&DatedEventId> = dates().map(|event| &event.event_id).collect();
    let instant = |event: &CalendarEvent| Some((event.event_id.event_id, event.entry.recurrence_at?));
    let changed_at: BTreeSet<(CalendarEventId, i64)> = dates().filter_map(instant).collect();
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
            let is_changed = || changed.contains(&id) || changed_at.contains(&(id.event_id, start));
            if !is_late || (is_series && is_changed()) {
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

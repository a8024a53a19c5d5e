//! Events of a calendar object.

use serde::{Deserialize, Serialize};

use super::CalendarMethod;
use super::content_lines::ContentLine;
use super::objects::value;
use super::person::{CalendarAttendee, CalendarPerson, attendee, bounded_line, person};
use super::times::{CalendarTime, EntryRecurrence, EntryTimes, EventTimes, instant};
use super::zones::ZoneResolver;
use crate::sanitize;

/// Maximum length of an identifier in bytes; an event with a longer one is left out.
const MAX_UID_BYTES: usize = 1_000;
/// Maximum length of a title, and of a location, in characters.
const MAX_TITLE_CHARS: usize = 1_000;
const MAX_LOCATION_CHARS: usize = 1_024;
/// Maximum length of a description, and of a comment, in bytes.
const MAX_DESCRIPTION_BYTES: usize = 8 * 1024;
const MAX_COMMENT_BYTES: usize = 4_096;
/// Maximum number of attendees.
const MAX_ATTENDEES: usize = 100;

/// Whether an event takes place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryStatus {
    /// It takes place.
    #[default]
    Confirmed,
    /// It may take place.
    Tentative,
    /// It was cancelled.
    Cancelled,
}

impl EntryStatus {
    /// All states.
    pub const ALL: [Self; 3] = [Self::Confirmed, Self::Tentative, Self::Cancelled];

    /// Returns the name in the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Tentative => "tentative",
            Self::Cancelled => "cancelled",
        }
    }
}

/// An event in a calendar message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalendarEntry {
    /// Identifier that all messages about the event share, at most 1,000 bytes.
    pub uid: String,
    /// Revision of the event by its organizer.
    pub sequence: u32,
    /// Time of this version in Unix seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamp: Option<i64>,
    /// Original local start of the one date of a recurring event that the entry is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recurrence_id: Option<String>,
    /// That start in Unix seconds; `None` for a day, and for a time without a zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recurrence_at: Option<i64>,
    /// Title on one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Description, cut to 8 KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Location on one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// Whether the event takes place.
    pub status: EntryStatus,
    /// Times; `None` for an entry without a start, as in many answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<EntryTimes>,
    /// Recurrence; `None` for an event that does not repeat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recurrence: Option<EntryRecurrence>,
    /// Organizer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub organizer: Option<CalendarPerson>,
    /// Attendees, the first 100.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attendees: Vec<CalendarAttendee>,
    /// Number of all attendees.
    pub attendee_count: usize,
    /// Comment on the answer or the change, cut to 4 KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// Reads an event; `None` without an identifier.
pub(super) fn read(
    lines: &[ContentLine<'_>],
    method: Option<CalendarMethod>,
    zones: &ZoneResolver<'_>,
) -> Option<CalendarEntry> {
    let find = |name: &str| lines.iter().find(|line| line.is(name));
    let uid = sanitize::single_line(&find("UID")?.text());
    if uid.is_empty() || uid.len() > MAX_UID_BYTES {
        return None;
    }
    let line_of = |name: &str, limit| nonempty(find(name).map(|line| bounded_line(&line.text(), limit)));
    let text_of = |name: &str, limit| {
        let text = find(name).map(|line| sanitize::normalize_body(&line.text()).trim().to_owned());
        nonempty(text.map(|text| sanitize::truncate_owned(text, limit)))
    };
    let times = EventTimes::read(lines, zones);
    let recurrence_id = find("RECURRENCE-ID").and_then(|line| match &times {
        Some(times) => times.written(line, line.value, zones),
        None => CalendarTime::parse(line.value).map(CalendarTime::written),
    });
    let is_timed = recurrence_id.as_ref().is_some_and(|start| start.contains('T'));
    let recurrence_at =
        find("RECURRENCE-ID").filter(|_| is_timed).and_then(|line| instant(line, times.as_ref(), zones));
    // An answer repeats the times of the event, and those that organizers write count.
    let recurrence = times.as_ref().and_then(|times| times.recurrence(lines, zones));
    let attendees = || lines.iter().filter(|line| line.is("ATTENDEE")).filter_map(attendee);
    Some(CalendarEntry {
        sequence: value(lines, "SEQUENCE").and_then(|number| number.parse().ok()).unwrap_or(0),
        stamp: value(lines, "DTSTAMP").and_then(stamp),
        title: line_of("SUMMARY", MAX_TITLE_CHARS),
        description: text_of("DESCRIPTION", MAX_DESCRIPTION_BYTES),
        location: line_of("LOCATION", MAX_LOCATION_CHARS),
        comment: text_of("COMMENT", MAX_COMMENT_BYTES),
        status: status(value(lines, "STATUS"), method),
        times: times.as_ref().map(EventTimes::entry_times),
        recurrence: recurrence.filter(|_| recurrence_id.is_none()),
        organizer: find("ORGANIZER").and_then(person),
        attendees: attendees().take(MAX_ATTENDEES).collect(),
        attendee_count: attendees().count(),
        recurrence_id,
        recurrence_at,
        uid,
    })
}

fn nonempty(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

fn stamp(value: &str) -> Option<i64> {
    let (CalendarTime::Utc(time) | CalendarTime::Local(time)) = CalendarTime::parse(value)? else { return None };
    jiff::tz::TimeZone::UTC.to_timestamp(time).ok().map(jiff::Timestamp::as_second)
}

fn status(value: Option<&str>, method: Option<CalendarMethod>) -> EntryStatus {
    if method == Some(CalendarMethod::Cancel) {
        return EntryStatus::Cancelled;
    }
    let named =
        EntryStatus::ALL.into_iter().find(|status| value.is_some_and(|it| it.eq_ignore_ascii_case(status.as_str())));
    named.unwrap_or_default()
}

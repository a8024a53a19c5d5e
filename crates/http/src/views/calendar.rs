//! Content of calendar messages.

use inboxd_mail::{CalendarAttendee, CalendarEntry, CalendarMessage, CalendarMethod, CalendarPerson, EntryRecurrence};
use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::time::format_time;

/// Invitation, change, cancellation or answer that a message carries (iCalendar, RFC 5546). All of it was written by the
/// sender.
#[derive(Serialize, ToSchema)]
#[schema(as = MessageCalendar)]
pub(crate) struct CalendarView {
    /// Purpose: `publish`, `request`, `reply`, `add`, `cancel`, `refresh`, `counter` or `decline_counter`. Absent if the
    /// sender named none that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "request")]
    method: Option<&'static str>,
    #[serde(flatten)]
    #[schema(value_type = CalendarEntryView)]
    entry: CalendarEntryView,
    /// Changed dates of a recurring event, then further events of the same object; at most ten.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    other_events: Vec<CalendarEntryView>,
}

/// Event in a calendar message.
#[derive(Serialize, ToSchema)]
#[schema(as = MessageCalendarEvent)]
pub(crate) struct CalendarEntryView {
    /// Identifier that all messages about the event share.
    #[schema(example = "7kukuqrfedlm2f9t0vr4d2@google.com")]
    uid: String,
    /// Revision of the event; a higher one replaces a lower one.
    sequence: u32,
    /// Time of this version.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime)]
    stamped_at: Option<String>,
    /// Local start that the recurrence gives to the one date this entry is about; absent for the event as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "2026-10-22T14:00:00")]
    original_start: Option<String>,
    /// Title.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    title: Option<String>,
    /// Description, cut to 8 KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    description: Option<String>,
    /// Location.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    location: Option<String>,
    /// `confirmed`, `tentative` or `cancelled`.
    #[schema(example = "confirmed")]
    status: &'static str,
    /// Whether the event lasts whole days; absent, like `start` and `end`, without times.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    all_day: Option<bool>,
    /// Local start in `timezone`, or the first day.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "2026-10-15T14:00:00")]
    start: Option<String>,
    /// Local end in `timezone`, or the last day.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "2026-10-15T14:30:00")]
    end: Option<String>,
    /// Time zone (IANA). Absent, like `start_at` and `end_at`, for whole days and for times without a zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "America/New_York")]
    timezone: Option<String>,
    /// Start in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime)]
    start_at: Option<String>,
    /// End in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime)]
    end_at: Option<String>,
    /// Recurrence; absent for an event that does not repeat.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    recurrence: Option<CalendarRecurrenceView>,
    /// Organizer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    organizer: Option<CalendarPersonView>,
    /// The first 100 attendees.
    attendees: Vec<CalendarAttendeeView>,
    /// Number of all attendees.
    attendee_count: usize,
    /// Comment on the answer or the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    comment: Option<String>,
}

/// Dates on which an event repeats.
#[derive(Serialize, ToSchema)]
#[schema(as = MessageCalendarRecurrence)]
pub(crate) struct CalendarRecurrenceView {
    /// Rule (RFC 5545), normalized, or as the sender wrote it if it is not valid.
    #[schema(example = "FREQ=WEEKLY;BYDAY=TH")]
    rule: String,
    /// Excluded dates, by their local start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    exdates: Vec<String>,
    /// Added dates, by their local start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    rdates: Vec<String>,
}

/// Organizer of an event.
#[derive(Serialize, ToSchema)]
#[schema(as = MessageCalendarPerson)]
pub(crate) struct CalendarPersonView {
    /// Mail address in lower case.
    #[schema(example = "anna@example.org")]
    email: String,
    /// Display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    name: Option<String>,
}

/// Attendee of an event.
#[derive(Serialize, ToSchema)]
#[schema(as = MessageCalendarAttendee)]
pub(crate) struct CalendarAttendeeView {
    /// Mail address in lower case.
    #[schema(example = "bo@example.org")]
    email: String,
    /// Display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    name: Option<String>,
    /// Response: `needs_action`, `accepted`, `declined` or `tentative`.
    #[schema(example = "accepted")]
    status: &'static str,
    /// `required` or `optional`.
    #[schema(example = "required")]
    role: &'static str,
    /// Comment on the response.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    comment: Option<String>,
    /// Time of the response.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime)]
    responded_at: Option<String>,
}

impl From<CalendarMessage> for CalendarView {
    fn from(message: CalendarMessage) -> Self {
        Self {
            method: message.method.map(CalendarMethod::as_str),
            entry: message.entry.into(),
            other_events: message.others.into_iter().map(CalendarEntryView::from).collect(),
        }
    }
}

impl From<CalendarEntry> for CalendarEntryView {
    fn from(entry: CalendarEntry) -> Self {
        let instant = |seconds: i64| OffsetDateTime::from_unix_timestamp(seconds).ok().map(format_time);
        let times = entry.times;
        Self {
            uid: entry.uid,
            sequence: entry.sequence,
            stamped_at: entry.stamp.and_then(instant),
            original_start: entry.recurrence_id,
            title: entry.title,
            description: entry.description,
            location: entry.location,
            status: entry.status.as_str(),
            all_day: times.as_ref().map(|times| times.all_day),
            start_at: times.as_ref().and_then(|times| times.start_at).and_then(instant),
            end_at: times.as_ref().and_then(|times| times.end_at).and_then(instant),
            timezone: times.as_ref().and_then(|times| times.timezone.clone()),
            start: times.as_ref().map(|times| times.start.clone()),
            end: times.map(|times| times.end),
            recurrence: entry.recurrence.map(CalendarRecurrenceView::from),
            organizer: entry.organizer.map(CalendarPersonView::from),
            attendees: entry.attendees.into_iter().map(CalendarAttendeeView::from).collect(),
            attendee_count: entry.attendee_count,
            comment: entry.comment,
        }
    }
}

impl From<EntryRecurrence> for CalendarRecurrenceView {
    fn from(recurrence: EntryRecurrence) -> Self {
        Self { rule: recurrence.rule, exdates: recurrence.exdates, rdates: recurrence.rdates }
    }
}

impl From<CalendarPerson> for CalendarPersonView {
    fn from(person: CalendarPerson) -> Self {
        Self { email: person.email, name: person.name }
    }
}

impl From<CalendarAttendee> for CalendarAttendeeView {
    fn from(attendee: CalendarAttendee) -> Self {
        Self {
            email: attendee.person.email,
            name: attendee.person.name,
            status: attendee.status.as_str(),
            role: attendee.role.as_str(),
            comment: attendee.comment,
            responded_at: attendee
                .responded_at
                .and_then(|at| OffsetDateTime::from_unix_timestamp(at).ok())
                .map(format_time),
        }
    }
}

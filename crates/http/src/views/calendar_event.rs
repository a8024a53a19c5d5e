//! Calendars of inboxes and their events.

use inboxd_core::app::calendar::InboxCalendar;
use inboxd_core::model::{CalendarDate, DatedEventId};
use inboxd_core::rules::calendar::DEFAULT_ZONE;
use inboxd_mail::{EntryTimes, moved_to};
use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::calendar::{CalendarAttendeeView, CalendarRecurrenceView};
use super::time::format_time;

/// Calendar of an inbox. Every inbox has one.
#[derive(Serialize, ToSchema)]
#[schema(as = Calendar)]
pub(crate) struct InboxCalendarView {
    /// Id of the inbox.
    inbox_id: String,
    /// Time zone of events without one.
    #[schema(example = "UTC")]
    timezone: &'static str,
    /// Number of events; each recurring event counts once.
    event_count: u64,
    /// Creation time of the inbox.
    #[schema(format = DateTime)]
    created_at: String,
    /// Time of the last change of an event.
    #[schema(format = DateTime)]
    updated_at: String,
}

impl From<InboxCalendar> for InboxCalendarView {
    fn from(calendar: InboxCalendar) -> Self {
        let InboxCalendar { inbox, summary } = calendar;
        Self {
            inbox_id: inbox.inbox_id.to_string(),
            timezone: DEFAULT_ZONE,
            event_count: summary.event_count,
            created_at: format_time(inbox.created_at),
            updated_at: format_time(summary.updated_at.unwrap_or(inbox.created_at)),
        }
    }
}

/// Event of a calendar, or one date of a recurring event. Its content was written by the organizer.
#[derive(Serialize, ToSchema)]
#[schema(as = CalendarEvent)]
pub(crate) struct CalendarEventView {
    /// Id of the event; that of a date has the original start behind it.
    #[schema(example = "cev_019a7c1e6b4d7e9fa7c25d1b8e0f9a36_20261022T140000")]
    event_id: String,
    /// `single`, `series` for a recurring event as a whole, or `instance` for one of its dates.
    kind: &'static str,
    /// Recurring event that the date belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    series_id: Option<String>,
    /// Local start that the recurrence gives to the date.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    original_start: Option<String>,
    /// `original_start` in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime)]
    original_start_at: Option<String>,
    /// Whether the organizer changed the date.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    is_exception: Option<bool>,
    /// Title; empty if the organizer gave none.
    title: String,
    /// Description, cut to 8 KiB. Absent in an agenda and in a list of dates.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    description: Option<String>,
    /// Location.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    location: Option<String>,
    /// `confirmed`, `tentative` or `cancelled`.
    status: &'static str,
    /// Whether the event lasts whole days.
    all_day: bool,
    /// Local start in `timezone`, or the first day.
    #[schema(example = "2026-10-15T14:00:00")]
    start: String,
    /// Local end in `timezone`, or the last day.
    #[schema(example = "2026-10-15T14:30:00")]
    end: String,
    /// Time zone (IANA).
    #[schema(example = "America/New_York")]
    timezone: String,
    /// `nominal` if the dates keep their length on the clock, else `exact`.
    duration_mode: &'static str,
    /// Length in milliseconds, or in days.
    duration_value: i64,
    /// Start in UTC.
    #[schema(format = DateTime)]
    start_at: String,
    /// End in UTC.
    #[schema(format = DateTime)]
    end_at: String,
    /// Recurrence of a recurring event as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    recurrence: Option<CalendarRecurrenceView>,
    /// The first 100 attendees. Absent in an agenda and in a list of dates.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    attendees: Option<Vec<CalendarAttendeeView>>,
    /// Number of all attendees.
    attendee_count: usize,
    /// Identifier that all messages about the event share.
    uid: String,
    /// Revision of the event by its organizer.
    sequence: u32,
    /// Always `email`: an invitation created the event.
    source: &'static str,
    /// Address of the organizer.
    organizer_email: String,
    /// Message that last created or changed the event.
    origin_message_id: String,
    /// Time of the first invitation.
    #[schema(format = DateTime)]
    created_at: String,
    /// Time of the last change.
    #[schema(format = DateTime)]
    updated_at: String,
}

impl CalendarEventView {
    /// Returns the event without description and attendees.
    pub(crate) fn item(date: CalendarDate) -> Self {
        Self { description: None, attendees: None, ..date.into() }
    }
}

impl From<CalendarDate> for CalendarEventView {
    fn from(CalendarDate { event, is_instance }: CalendarDate) -> Self {
        let instant = |seconds: Option<i64>| {
            let at = seconds.and_then(|seconds| OffsetDateTime::from_unix_timestamp(seconds).ok());
            format_time(at.unwrap_or(event.created_at))
        };
        let (entry, times) = (event.entry, event.times);
        let DatedEventId { event_id, original_start } = &event.event_id;
        let original = original_start.as_deref().and_then(|start| moved_to(&times, start, DEFAULT_ZONE));
        let kind = match (is_instance, &entry.recurrence) {
            (true, _) => "instance",
            (false, Some(_)) => "series",
            (false, None) => "single",
        };
        Self {
            event_id: event.event_id.to_string(),
            kind,
            series_id: is_instance.then(|| event_id.to_string()),
            original_start_at: original.map(|times| instant(times.start_at)),
            original_start: original_start.clone(),
            is_exception: is_instance.then_some(entry.recurrence_id.is_some()),
            title: entry.title.unwrap_or_default(),
            description: entry.description,
            location: entry.location,
            status: entry.status.as_str(),
            all_day: times.all_day,
            duration_mode: if kind == "single" { "exact" } else { "nominal" },
            duration_value: duration(&times),
            start_at: instant(times.start_at),
            end_at: instant(times.end_at),
            start: times.start,
            end: times.end,
            timezone: times.timezone.unwrap_or_else(|| DEFAULT_ZONE.to_owned()),
            recurrence: entry.recurrence.filter(|_| !is_instance).map(CalendarRecurrenceView::from),
            attendees: Some(entry.attendees.into_iter().map(CalendarAttendeeView::from).collect()),
            attendee_count: entry.attendee_count,
            uid: entry.uid,
            sequence: entry.sequence,
            source: "email",
            organizer_email: event.authority.organizer,
            origin_message_id: event.origin_message_id.to_string(),
            created_at: format_time(event.created_at),
            updated_at: format_time(event.updated_at),
        }
    }
}

/// Returns the length in milliseconds, or in days, of which one may have 23 or 25 hours.
fn duration(times: &EntryTimes) -> i64 {
    let seconds = times.end_at.unwrap_or_default() - times.start_at.unwrap_or_default();
    if times.all_day { (seconds + 43_200) / 86_400 } else { seconds * 1_000 }
}

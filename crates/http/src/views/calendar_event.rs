//! Calendars of inboxes and their events.

use inboxd_core::app::calendar::InboxCalendar;
use inboxd_core::model::{CalendarDate, CalendarEvent, DatedEventId};
use inboxd_core::rules::calendar::{DEFAULT_ZONE, settings_version};
use inboxd_mail::{AttendeeStatus, EntryTimes, moved_to};
use serde::Serialize;
use serde_json::Value;
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
    timezone: String,
    /// Number of events; each recurring event counts once.
    event_count: u64,
    /// Creation time of the inbox.
    #[schema(format = DateTime)]
    created_at: String,
    /// Time of the last change of the settings or an event.
    #[schema(format = DateTime)]
    updated_at: String,
    /// Version of the settings, for `If-Match`.
    #[schema(example = "\"rv-0\"")]
    etag: String,
}

impl From<InboxCalendar> for InboxCalendarView {
    fn from(calendar: InboxCalendar) -> Self {
        let InboxCalendar { inbox, summary } = calendar;
        let settings = summary.settings.as_ref();
        let updated_at = summary.updated_at.max(settings.map(|settings| settings.updated_at));
        Self {
            inbox_id: inbox.inbox_id.to_string(),
            timezone: settings.map_or_else(|| DEFAULT_ZONE.to_owned(), |settings| settings.timezone.clone()),
            event_count: summary.event_count,
            created_at: format_time(inbox.created_at),
            updated_at: format_time(updated_at.unwrap_or(inbox.created_at)),
            etag: settings_version(settings),
        }
    }
}

/// Secret URL of a calendar.
#[derive(Serialize, ToSchema)]
#[schema(as = CalendarFeed)]
pub(crate) struct CalendarFeedView {
    /// URL to subscribe to. It is shown once.
    #[schema(example = "https://mail.example.org/v0/calendar-feeds/….ics")]
    url: String,
}

impl CalendarFeedView {
    pub(crate) fn new(token: &str, base_url: &str) -> Self {
        Self { url: format!("{base_url}/v0/calendar-feeds/{token}.ics") }
    }
}

/// Event of a calendar, or one date of a recurring event. The organizer wrote its content, which is a stranger for the
/// source `email`.
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
    /// Whether the date was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    is_exception: Option<bool>,
    /// Title; empty if the organizer gave none.
    title: String,
    /// Description; that of an invitation is cut to 8 KiB. Absent in an agenda and in a list of dates.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    description: Option<String>,
    /// Location.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    location: Option<String>,
    /// `confirmed`, `tentative` or `cancelled`.
    status: &'static str,
    /// JSON of clients, which no attendee sees. Absent in an agenda and in a list of dates.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<serde_json::Value>)]
    metadata: Option<Value>,
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
    /// Response of the inbox to the invitation: `needs_action`, `accepted`, `declined` or `tentative`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    response_status: Option<&'static str>,
    /// Identifier that all messages about the event share.
    uid: String,
    /// Revision of the event by its organizer.
    sequence: u32,
    /// `api` if a client created the event, `email` if an invitation did.
    #[schema(example = "api")]
    source: &'static str,
    /// Address of the organizer.
    organizer_email: String,
    /// Message that last created or changed the event, for the source `email`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    origin_message_id: Option<String>,
    /// Number of changes; absent for dates.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    resource_revision: Option<u64>,
    /// Time of creation.
    #[schema(format = DateTime)]
    created_at: String,
    /// Time of the last change.
    #[schema(format = DateTime)]
    updated_at: String,
    /// Version for `If-Match`; absent in lists and events.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "\"rv-1\"")]
    etag: Option<String>,
}

impl CalendarEventView {
    /// Returns the event without description, metadata and attendees.
    pub(crate) fn item(date: CalendarDate) -> Self {
        Self { description: None, metadata: None, attendees: None, resource_revision: None, ..date.into() }
    }

    /// Returns the event as an event of the feed has it.
    pub(crate) fn of_feed(event: CalendarEvent) -> Self {
        let is_instance = event.event_id.original_start.is_some();
        CalendarDate { event, is_instance }.into()
    }

    /// Returns the event with its version.
    pub(crate) fn whole(date: CalendarDate, version: String) -> Self {
        Self { etag: Some(version), ..date.into() }
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
        let original_at = original_start
            .as_deref()
            .and_then(|start| entry.recurrence_at.or_else(|| moved_to(&times, start, DEFAULT_ZONE)?.start_at));
        let kind = match (is_instance, &entry.recurrence) {
            (true, _) => "instance",
            (false, Some(_)) => "series",
            (false, None) => "single",
        };
        Self {
            event_id: event.event_id.to_string(),
            kind,
            series_id: is_instance.then(|| event_id.to_string()),
            original_start_at: original_at.map(|at| instant(Some(at))),
            original_start: original_start.clone(),
            is_exception: is_instance.then_some(entry.recurrence_id.is_some()),
            title: entry.title.unwrap_or_default(),
            description: entry.description,
            location: entry.location,
            metadata: event.metadata,
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
            response_status: event.response.map(AttendeeStatus::as_str),
            uid: entry.uid,
            sequence: entry.sequence,
            source: if event.origin_message_id.is_none() { "api" } else { "email" },
            organizer_email: event.authority.organizer,
            origin_message_id: event.origin_message_id.map(|id| id.to_string()),
            resource_revision: (!is_instance).then_some(event.revision),
            created_at: format_time(event.created_at),
            updated_at: format_time(event.updated_at),
            etag: None,
        }
    }
}

/// Returns the length in milliseconds, or in days, of which one may have 23 or 25 hours.
fn duration(times: &EntryTimes) -> i64 {
    let seconds = times.end_at.unwrap_or_default() - times.start_at.unwrap_or_default();
    if times.all_day { (seconds + 43_200) / 86_400 } else { seconds * 1_000 }
}

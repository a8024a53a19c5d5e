//! Parts of events about calendars.

use inboxd_core::app::calendar::DurationMode;
use inboxd_core::model::ReplacedFields;
use inboxd_mail::EntryStatus;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::calendar::{CalendarAttendeeView, CalendarRecurrenceView};

/// Calendar event that came from a message which is deleted or redacted now.
#[derive(Serialize, ToSchema)]
#[schema(as = CalendarEventTrace)]
pub(super) struct CalendarTraceView {
    /// Id of the event or date.
    #[schema(example = "cev_019a7c1e6b4d7e9fa7c25d1b8e0f9a36")]
    pub(super) event_id: String,
}

/// Values that the change of an event replaced. A field that did not change or had no value is absent.
#[derive(Serialize, ToSchema)]
#[schema(as = CalendarEventPrevious)]
pub(super) struct ReplacedFieldsView {
    /// Title.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    title: Option<String>,
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    description: Option<String>,
    /// Location.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    location: Option<String>,
    /// JSON of clients.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<serde_json::Value>)]
    metadata: Option<Value>,
    /// `confirmed`, `tentative` or `cancelled`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    status: Option<&'static str>,
    /// Whether it lasted whole days.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    all_day: Option<bool>,
    /// Local start.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    start: Option<String>,
    /// Local end.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    end: Option<String>,
    /// Time zone (IANA).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    timezone: Option<String>,
    /// `nominal` or `exact`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    duration_mode: Option<&'static str>,
    /// Recurrence.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    recurrence: Option<CalendarRecurrenceView>,
    /// Attendees.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    attendees: Option<Vec<CalendarAttendeeView>>,
}

impl From<ReplacedFields> for ReplacedFieldsView {
    fn from(fields: ReplacedFields) -> Self {
        let mode = |is_series| if is_series { DurationMode::Nominal } else { DurationMode::Exact };
        let attendees = |list: Vec<_>| list.into_iter().map(CalendarAttendeeView::from).collect();
        Self {
            title: fields.title,
            description: fields.description,
            location: fields.location,
            metadata: fields.metadata,
            status: fields.status.map(EntryStatus::as_str),
            all_day: fields.all_day,
            start: fields.start,
            end: fields.end,
            timezone: fields.timezone,
            duration_mode: fields.is_series.map(|is_series| mode(is_series).as_str()),
            recurrence: fields.recurrence.map(CalendarRecurrenceView::from),
            attendees: fields.attendees.map(attendees),
        }
    }
}

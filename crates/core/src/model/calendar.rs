//! Events of the calendar of an inbox.

use std::fmt;
use std::str::FromStr;

use inboxd_mail::{AttendeeStatus, CalendarAttendee, CalendarEntry, EntryRecurrence, EntryStatus, EntryTimes};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::ids::IdError;
use super::{CalendarEventId, InboxId, MessageId, OrganizationId};

/// Public id of an event, or of one date of a recurring event: `cev_…`, or `cev_…_20261022T140000`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct DatedEventId {
    /// The event.
    pub event_id: CalendarEventId,
    /// Local start that the recurrence gives to the date, as `2026-10-22T14:00:00` or `2026-10-22`.
    pub original_start: Option<String>,
}

impl From<CalendarEventId> for DatedEventId {
    fn from(event_id: CalendarEventId) -> Self {
        Self { event_id, original_start: None }
    }
}

impl From<DatedEventId> for String {
    fn from(id: DatedEventId) -> Self {
        id.to_string()
    }
}

impl TryFrom<String> for DatedEventId {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        text.parse()
    }
}

impl fmt::Display for DatedEventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.original_start {
            Some(start) => write!(f, "{}_{}", self.event_id, start.replace(['-', ':'], "")),
            None => self.event_id.fmt(f),
        }
    }
}

impl FromStr for DatedEventId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let error = IdError(CalendarEventId::PREFIX);
        let end = CalendarEventId::PREFIX.len() + 32;
        let (id, slot) = text.split_at_checked(end).ok_or(error.clone())?;
        let event_id: CalendarEventId = id.parse()?;
        let Some(slot) = slot.strip_prefix('_') else {
            return if slot.is_empty() { Ok(event_id.into()) } else { Err(error) };
        };
        let is_form =
            slot.bytes().enumerate().all(|(at, byte)| if at == 8 { byte == b'T' } else { byte.is_ascii_digit() });
        let part = |from: usize, to: usize| slot.get(from..to).unwrap_or_default();
        let day = format!("{}-{}-{}", part(0, 4), part(4, 6), part(6, 8));
        match slot.len() {
            8 if is_form => Ok(Self { event_id, original_start: Some(day) }),
            15 if is_form => {
                let start = format!("{day}T{}:{}:{}", part(9, 11), part(11, 13), part(13, 15));
                Ok(Self { event_id, original_start: Some(start) })
            }
            _ => Err(error),
        }
    }
}

/// The sender of the invitation that created an event. No other mail may change it. For an event that a client created,
/// it is the inbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventAuthority {
    /// Address in From.
    pub from: String,
    /// Address of the organizer.
    pub organizer: String,
    /// Whether authentication confirmed From.
    pub is_authenticated: bool,
}

/// An event of an inbox, or a date of a recurring event that was changed or cancelled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalendarEvent {
    /// The organization of the inbox.
    pub organization_id: OrganizationId,
    /// The inbox.
    pub inbox_id: InboxId,
    /// Public id.
    pub event_id: DatedEventId,
    /// The event as its organizer last sent it.
    pub entry: CalendarEntry,
    /// Times with their instants.
    pub times: EntryTimes,
    /// The sender that may change it.
    pub authority: EventAuthority,
    /// Message that last created or changed it; `None` for an event that a client created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin_message_id: Option<MessageId>,
    /// JSON of clients, which no attendee sees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<serde_json::Value>,
    /// Response of the inbox, if the event is an invitation to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<AttendeeStatus>,
    /// Number of changes.
    pub revision: u64,
    /// Digest of the request that created the event with a `client_id`.
    #[serde(skip)]
    pub request: Option<String>,
    /// Time of creation, or of the first invitation.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// Time of the last change.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

impl CalendarEvent {
    /// Returns whether the event is a recurring event as a whole.
    #[must_use]
    pub fn is_series(&self) -> bool {
        self.entry.recurrence.is_some()
    }

    /// Returns whether a client created the event, so that the inbox is its organizer.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.origin_message_id.is_none()
    }
}

/// Values of an event that a change replaced; `None` for a field that did not change or had no value.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReplacedFields {
    /// Title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Location.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// JSON of clients.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<serde_json::Value>,
    /// Whether it takes place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<EntryStatus>,
    /// Whether it lasts whole days.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all_day: Option<bool>,
    /// Local start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// Local end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
    /// Time zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// Whether it repeated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_series: Option<bool>,
    /// Recurrence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recurrence: Option<EntryRecurrence>,
    /// Attendees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attendees: Option<Vec<CalendarAttendee>>,
}

/// A date of a calendar, or an event as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalendarDate {
    /// The event that the date belongs to; for a changed date, the date itself.
    pub event: CalendarEvent,
    /// Whether it is one date of a recurring event.
    pub is_instance: bool,
}

/// Number of events of an inbox, the time of the last change, and the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalendarSummary {
    /// Events, each recurring event once.
    pub event_count: u64,
    /// Time of the last change; `None` without events.
    pub updated_at: Option<OffsetDateTime>,
    /// Settings; `None` if nobody changed them.
    pub settings: Option<CalendarSettings>,
}

/// Settings of a calendar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalendarSettings {
    /// Time zone (IANA) of new events without one.
    pub timezone: String,
    /// Number of changes.
    pub revision: u64,
    /// SHA-256 of the token of the feed; `None` without a feed.
    pub feed: Option<[u8; 32]>,
    /// Time of the last change.
    pub updated_at: OffsetDateTime,
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use super::*;

    #[test]
    fn dated_ids_survive_a_round_trip() {
        let id = "cev_0123456789abcdef0123456789abcdef";
        for (text, original_start) in [
            (id.to_owned(), None),
            (format!("{id}_20261022"), Some("2026-10-22")),
            (format!("{id}_20261022T140000"), Some("2026-10-22T14:00:00")),
        ] {
            let parsed: DatedEventId = text.parse().unwrap();
            assert_eq!((parsed.original_start.as_deref(), parsed.to_string()), (original_start, text));
        }
        for wrong in
            ["", "cev_1", "evt_0123456789abcdef0123456789abcdef", "_2026", "_2026102x", "_20261022T14000", "x", "_éééé"]
        {
            let text = if wrong.starts_with(['_', 'x']) { format!("{id}{wrong}") } else { wrong.to_owned() };
            assert!(text.parse::<DatedEventId>().is_err(), "{text}");
        }
    }
}

//! Invitations and other calendar messages (RFC 5545, RFC 5546).

mod check;
mod content_lines;
mod event;
mod expansion;
mod objects;
mod person;
mod recurrence;
mod times;
mod windows_zones;
mod write;
mod write_zone;
mod zones;

use serde::{Deserialize, Serialize};

pub use check::{EventFieldError, check_recurrence, check_times, time_zone_name};
pub use event::{CalendarEntry, EntryStatus};
pub use expansion::{expand, last_end, local_time_at, moved_to, with_instants};
pub use person::{AttendeeRole, AttendeeStatus, CalendarAttendee, CalendarPerson};
pub use recurrence::{RecurrenceError, RecurrenceRule};
pub use times::{EntryRecurrence, EntryTimes};
pub use write::{write_calendar, write_feed};

/// Maximum number of bytes that are read of a calendar object; a longer one is not read.
pub const MAX_CALENDAR_BYTES: usize = 1024 * 1024;
/// Maximum number of entries besides the first.
const MAX_OTHER_ENTRIES: usize = 10;

/// Purpose of a calendar message (RFC 5546, section 1.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CalendarMethod {
    /// Announces an event without attendees.
    Publish,
    /// Invites, or changes an earlier invitation.
    Request,
    /// Answers an invitation.
    Reply,
    /// Adds dates to a recurring event.
    Add,
    /// Cancels an event or some of its dates.
    Cancel,
    /// Asks for the latest version of an event.
    Refresh,
    /// Proposes other times to the organizer.
    Counter,
    /// Declines a proposal of other times.
    DeclineCounter,
}

impl CalendarMethod {
    /// All methods.
    pub const ALL: [Self; 8] = [
        Self::Publish,
        Self::Request,
        Self::Reply,
        Self::Add,
        Self::Cancel,
        Self::Refresh,
        Self::Counter,
        Self::DeclineCounter,
    ];

    /// Returns the name in the API, such as `request`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Publish => "publish",
            Self::Request => "request",
            Self::Reply => "reply",
            Self::Add => "add",
            Self::Cancel => "cancel",
            Self::Refresh => "refresh",
            Self::Counter => "counter",
            Self::DeclineCounter => "decline_counter",
        }
    }

    fn of(value: &str) -> Option<Self> {
        let name = value.trim();
        Self::ALL.into_iter().find(|method| method.as_str().replace('_', "").eq_ignore_ascii_case(name))
    }
}

/// Content of a calendar message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalendarMessage {
    /// Purpose of the message; `None` if the sender named none that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<CalendarMethod>,
    /// The event, or a recurring event as a whole.
    pub entry: CalendarEntry,
    /// Changed dates of the recurring event, then further events; at most ten.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<CalendarEntry>,
}

/// Reads a calendar object; `None` if it contains no event with an identifier.
///
/// `method` is the parameter of the content type, which counts if the object names none. The time is linear in the
/// bytes, and all output is bounded.
#[must_use]
pub fn read_calendar(text: &str, method: Option<&str>) -> Option<CalendarMessage> {
    if text.len() > MAX_CALENDAR_BYTES {
        return None;
    }
    let unfolded = content_lines::unfold(text);
    let object = objects::read(&unfolded);
    let method = object.value("METHOD").or(method).and_then(CalendarMethod::of);
    let zones = zones::ZoneResolver::new(&object);
    let mut entries: Vec<CalendarEntry> =
        object.events.iter().filter_map(|lines| event::read(lines, method, &zones)).collect();
    // A recurring event comes before its changed dates, in whatever order the sender wrote them.
    let first = entries.iter().position(|entry| entry.recurrence_id.is_none()).unwrap_or_default();
    if first >= entries.len() {
        return None;
    }
    let entry = entries.remove(first);
    entries.truncate(MAX_OTHER_ENTRIES);
    Some(CalendarMessage { method, entry, others: entries })
}

//! An event of a calendar, for tests.

#![expect(clippy::expect_used, reason = "a fixture that cannot be made is a broken test")]

use inboxd_mail::{AttendeeStatus, read_calendar, with_instants};

use super::fixtures::{NOW, id, inbox, message_id};
use crate::model::{CalendarEvent, CalendarEventId, EventAuthority};

/// Weekly event from 5 October 2026, at two in Berlin.
const OAK: &str = "BEGIN:VCALENDAR
METHOD:REQUEST
BEGIN:VEVENT
UID:oak@example.org
SEQUENCE:1
DTSTAMP:20261001T080000Z
ORGANIZER:mailto:anna@example.org
ATTENDEE:mailto:scout@inboxd.example
SUMMARY:Oak
LOCATION:Sawmill
DTSTART;TZID=Europe/Berlin:20261005T140000
DURATION:PT30M
RRULE:FREQ=WEEKLY
END:VEVENT
END:VCALENDAR";

/// Returns a weekly event that an invitation to [`inbox`] created.
///
/// # Panics
/// If the constant is no event.
#[must_use]
pub fn calendar_event() -> CalendarEvent {
    let entry = read_calendar(OAK, None).expect("a calendar").entry;
    let times = entry.times.as_ref().and_then(|times| with_instants(times, "UTC")).expect("times");
    let address = "anna@example.org".to_owned();
    CalendarEvent {
        organization_id: id(1),
        inbox_id: inbox().inbox_id,
        event_id: id::<CalendarEventId>(30).into(),
        entry,
        times,
        authority: EventAuthority { from: address.clone(), organizer: address, is_authenticated: true },
        origin_message_id: Some(message_id("<question@example.org>")),
        metadata: None,
        response: Some(AttendeeStatus::NeedsAction),
        revision: 1,
        request: None,
        created_at: NOW,
        updated_at: NOW,
    }
}

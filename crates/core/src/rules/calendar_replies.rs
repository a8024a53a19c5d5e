//! Answers of attendees to events that an inbox organizes (RFC 5546, section 3.2.3).

use inboxd_mail::{AttendeeStatus, CalendarEntry, EmailAddress, EntryStatus, expand, moved_to};

use super::calendar::{DEFAULT_ZONE, original_start};
use crate::model::{CalendarEvent, EventAuthority};

/// Returns an entry with the answer of its attendee; `None` if the answer changes nothing.
///
/// It counts if authentication confirms its sender, who is the only attendee that it is about, and if it is about the
/// present version and not older than the last answer of that attendee. Its comment stays in the mail, so that it goes with
/// the mail.
#[must_use]
pub fn answered(
    known: &CalendarEntry,
    reply: &CalendarEntry,
    sender: &EventAuthority,
    now: i64,
) -> Option<CalendarEntry> {
    let [answer] = reply.attendees.as_slice() else { return None };
    let is_sender = sender.is_authenticated && reply.attendee_count == 1 && is_same(&answer.person.email, &sender.from);
    let is_current = known.status != EntryStatus::Cancelled && reply.sequence >= known.sequence;
    if !is_sender || !is_current || answer.status == AttendeeStatus::NeedsAction {
        return None;
    }
    // A clock that is fast must not outrank later answers.
    let stamp = reply.stamp?.min(now);
    let mut entry = known.clone();
    let attendee = entry.attendees.iter_mut().find(|one| is_same(&one.person.email, &sender.from))?;
    let is_old = |at: i64| stamp < at || (stamp == at && answer.status == attendee.status);
    if attendee.responded_at.is_some_and(is_old) {
        return None;
    }
    attendee.status = answer.status;
    attendee.responded_at = Some(stamp);
    Some(entry)
}

/// Returns the local start that the recurrence of an event gives to the date of an answer; `None` for no date of it.
#[must_use]
pub fn answered_date(series: &CalendarEvent, reply: &CalendarEntry) -> Option<String> {
    let at = moved_to(&series.times, &original_start(Some(series), reply)?, DEFAULT_ZONE)?.start_at?;
    let window = (at, at.checked_add(1)?);
    let dates = expand(&series.times, series.entry.recurrence.as_ref(), DEFAULT_ZONE, window, 10);
    dates.into_iter().find(|times| times.start_at == Some(at)).map(|times| times.start)
}

fn is_same(one: &str, other: &str) -> bool {
    let address = |text: &str| text.parse::<EmailAddress>().ok().map(|address| address.normalized());
    address(one).is_some_and(|one| Some(one) == address(other))
}

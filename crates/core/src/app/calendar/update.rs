//! Change of an event, or of one date of a recurring event.

use inboxd_mail::{CalendarAttendee, CalendarEntry, EntryRecurrence, moved_to};

use super::change::{CalendarChange, require_version};
use super::fields::{
    EventChange, NewRecurrence, nonempty, problems_of_event_change, require_event_bytes, require_mode, schedule, stored,
};
use super::get::{Named, named_event};
use super::invitation::{Occasion, farewell, letter};
use super::{ChangedEvent, commit, require_writing};
use crate::app::App;
use crate::app::letter::Letter;
use crate::app::submit::{Place, require_acceptable, submit};
use crate::model::{CalendarEvent, Caller, EventType, Inbox, InboxId};
use crate::rules::calendar::{DEFAULT_ZONE, response};
use crate::{CalendarRefusal, Error, FieldError};

/// Changes an event, or one date of a recurring event by its dated id, and tells the attendees by mail if the caller
/// wants that.
///
/// # Errors
/// As [`create`](super::create()), and [`CalendarRefusal`] for another version than that of `if_match`.
pub async fn update(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    event_id: &str,
    change: EventChange,
    if_match: Option<&str>,
) -> Result<ChangedEvent, Error> {
    Error::unless_empty(problems_of_event_change(&change))?;
    let inbox = require_writing(app, caller, inbox_id).await?;
    let named = named_event(app, &inbox, event_id).await?;
    let before = named.before();
    let Named { id, rows, .. } = named;
    // A date has a revision of its own from its first change on.
    let is_first = before.revision == 0;
    let known = require_version(&rows, &id, if_match)?;
    if change.recurrence == Some(None) && before.is_series() {
        let dates = app.store.calendar_series(inbox.organization_id, &inbox.inbox_id, id.event_id).await?;
        if dates.len() > 1 {
            return Err(CalendarRefusal::HasChangedDates(id.to_string()).into());
        }
    }
    let now = app.clock.now();
    let send_invites = change.send_invites;
    let mut event = changed(&before, change).map_err(|problem| Error::Invalid(vec![problem]))?;
    if event.is_own() {
        let is_date = id.original_start.is_some();
        let rises = if is_date { send_invites } else { is_visible(&before, &event) };
        event.entry.sequence = before.entry.sequence.saturating_add(u32::from(rises));
        event.entry.stamp = Some(now.unix_timestamp());
    } else {
        event.response = response(&event.entry, &inbox.inbox_id);
    }
    event.revision += 1;
    event.updated_at = now;
    let (mail, further) = if send_invites { letters(&inbox, &before, &event)? } else { (None, None) };
    if let Some(further) = &further {
        Box::pin(require_acceptable(app, caller, &inbox, further.clone(), (Place::default(), None))).await?;
    }
    let kind = if is_first { EventType::CalendarEventCreated } else { EventType::CalendarEventUpdated };
    let change = CalendarChange::store(app, event.clone(), known, kind);
    let operation_id = change.operation_id();
    let sent = commit(app, caller, &inbox, change, mail.map(|mail| (mail, Place::default()))).await?;
    if let Some(further) = further {
        // The change is made, and the mail was acceptable before, so a late refusal refuses nothing.
        let _ = Box::pin(submit(app, caller, &inbox, further, Place::default())).await;
    }
    Ok(ChangedEvent::new(operation_id, rows, event, sent))
}

/// Returns the mail that goes with a change, and a further one. Attendees that stay and those that were removed get
/// different mails.
fn letters(
    inbox: &Inbox,
    before: &CalendarEvent,
    event: &CalendarEvent,
) -> Result<(Option<Letter>, Option<Letter>), Error> {
    let farewell = farewell(inbox, before, event)?;
    Ok(match letter(inbox, event, Occasion::Changed)? {
        Some(letter) => (Some(letter), farewell),
        None => (farewell, None),
    })
}

/// Returns whether attendees see a difference between two states of an event.
fn is_visible(before: &CalendarEvent, after: &CalendarEvent) -> bool {
    let people = |entry: &CalendarEntry| -> Vec<_> {
        let seen = |one: &CalendarAttendee| (one.person.clone(), one.role);
        entry.attendees.iter().map(seen).collect()
    };
    let texts = |entry: &CalendarEntry| {
        (entry.title.clone(), entry.description.clone(), entry.location.clone(), entry.recurrence.clone(), entry.status)
    };
    texts(&before.entry) != texts(&after.entry)
        || before.times != after.times
        || people(&before.entry) != people(&after.entry)
}

/// Returns an event after a change.
fn changed(before: &CalendarEvent, change: EventChange) -> Result<CalendarEvent, FieldError> {
    let mut event = before.clone();
    if before.event_id.original_start.is_some() {
        reschedule_date(&mut event, &change)?;
    } else {
        reschedule(&mut event, &change)?;
    }
    let entry = &mut event.entry;
    entry.title = change.title.or_else(|| entry.title.take());
    if let Some(description) = change.description {
        entry.description = nonempty(description);
    }
    if let Some(location) = change.location {
        entry.location = nonempty(location);
    }
    if let Some(attendees) = change.attendees {
        entry.attendees = stored(attendees);
        entry.attendee_count = entry.attendees.len();
    }
    entry.status = change.status.unwrap_or(entry.status);
    entry.times = Some(event.times.clone());
    if let Some(metadata) = change.metadata {
        event.metadata = metadata;
    }
    require_event_bytes(before, &event)?;
    Ok(event)
}

/// Changes the times of an event as a whole.
fn reschedule(event: &mut CalendarEvent, change: &EventChange) -> Result<(), FieldError> {
    let EventChange { all_day, start, end, timezone, duration_mode, recurrence, .. } = change;
    if start.is_some() != end.is_some() {
        let missing = if start.is_some() { "end" } else { "start" };
        return Err(FieldError::new(missing, "is required beside the other one of start and end"));
    }
    let is_day_changed = all_day.is_some_and(|all_day| all_day != event.times.all_day);
    if is_day_changed && (start.is_none() || timezone.is_none()) {
        return Err(FieldError::new("all_day", "changes only with start, end and timezone in the same request"));
    }
    if start.is_none() && timezone.is_none() && recurrence.is_none() {
        return require_mode(*duration_mode, event.is_series());
    }
    let times = &event.times;
    let zone = timezone.as_deref().or(times.timezone.as_deref()).unwrap_or(DEFAULT_ZONE);
    let start = start.as_deref().unwrap_or(&times.start);
    let end = end.as_deref().unwrap_or(&times.end);
    let kept = event.entry.recurrence.clone().map(|EntryRecurrence { rule, exdates, rdates }| NewRecurrence {
        rule,
        exdates,
        rdates,
    });
    let recurrence = recurrence.clone().unwrap_or(kept);
    let all_day = all_day.unwrap_or(times.all_day);
    let (times, recurrence) = schedule((all_day, start, end, zone), recurrence.as_ref(), *duration_mode)?;
    event.times = times;
    event.entry.recurrence = recurrence;
    Ok(())
}

/// Changes the times of one date of a recurring event.
fn reschedule_date(event: &mut CalendarEvent, change: &EventChange) -> Result<(), FieldError> {
    for (name, is_sent) in [
        ("all_day", change.all_day.is_some()),
        ("timezone", change.timezone.is_some()),
        ("recurrence", change.recurrence.is_some()),
    ] {
        if is_sent {
            return Err(FieldError::new(name, "belongs to the event as a whole, not to one of its dates"));
        }
    }
    require_mode(change.duration_mode, true)?;
    if change.start.is_none() && change.end.is_none() {
        return Ok(());
    }
    let times = &event.times;
    let start = change.start.as_deref().unwrap_or(&times.start);
    let moved = moved_to(times, start, DEFAULT_ZONE).map(|moved| moved.end);
    let end = change.end.clone().or(moved).unwrap_or_else(|| times.end.clone());
    let zone = times.timezone.as_deref().unwrap_or(DEFAULT_ZONE);
    // No date of a recurring event is longer than those of its rule may be.
    let checked = inboxd_mail::check_times(times.all_day, start, &end, zone, true);
    event.times = checked.map_err(|error| FieldError::new(error.field, error.reason))?;
    Ok(())
}

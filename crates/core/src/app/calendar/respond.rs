//! Response to an invitation that an event came from.

use inboxd_mail::{CalendarEntry, EntryStatus};
use time::OffsetDateTime;

use super::change::{CalendarChange, require_version};
use super::get::{Named, named_event};
use super::{ChangedEvent, commit, require_writing};
use crate::app::App;
use crate::app::messages::{self, Rsvp, answer_letter, problems_of_rsvp};
use crate::model::{CalendarEvent, Caller, EventType, Inbox, InboxId};
use crate::rules::calendar::{is_date_of, is_inbox, original_start, response, version};
use crate::{CalendarRefusal, Error};

/// Responds to an invitation, as a whole or for one date by its dated id. With `send_reply` a mail tells the organizer.
///
/// # Errors
/// As [`update`](super::update()) and [`rsvp`](crate::app::messages::rsvp()).
pub async fn respond(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    event_id: &str,
    rsvp: Rsvp,
    send_reply: bool,
    if_match: Option<&str>,
) -> Result<ChangedEvent, Error> {
    Error::unless_empty(problems_of_rsvp(&rsvp))?;
    let inbox = require_writing(app, caller, inbox_id).await?;
    let named = named_event(app, &inbox, event_id).await?;
    let event = named.before();
    let Named { id, rows, .. } = named;
    let known = require_version(&rows, &id, if_match)?;
    let refused = || CalendarRefusal::NotAnswerable(id.to_string());
    if event.entry.status == EntryStatus::Cancelled {
        return Err(refused().into());
    }
    let origin = event.origin_message_id.as_ref().ok_or_else(refused)?;
    let invitation = messages::find(app, caller, inbox_id, origin).await?;
    let organizer = event.entry.organizer.as_ref().ok_or_else(refused)?;
    // Without a mail nothing reaches the organizer, so there is nothing to confirm.
    let rsvp = Rsvp { confirm_organizer: rsvp.confirm_organizer || !send_reply, ..rsvp };
    let (letter, place) = answer_letter(&inbox, &invitation, (&event.entry, organizer), &rsvp, app.clock.now())?;
    let event = responded(&event, &inbox, &rsvp, app.clock.now());
    let change = CalendarChange::store(app, event.clone(), known, EventType::CalendarEventResponded);
    let operation_id = change.operation_id();
    let sent = commit(app, caller, &inbox, change, send_reply.then_some((letter, place))).await?;
    Ok(ChangedEvent::new(operation_id, rows, event, sent))
}

/// Returns the change of the event of an answered invitation; `None` if there is none.
pub(in crate::app) async fn answered(
    app: &App,
    inbox: &Inbox,
    entry: &CalendarEntry,
    rsvp: &Rsvp,
) -> Result<Option<Box<CalendarChange>>, Error> {
    let rows = app.store.calendar_events_of_uid(inbox.organization_id, &inbox.inbox_id, &entry.uid).await?;
    let organizer = entry.organizer.as_ref().map(|organizer| &organizer.email);
    let original = original_start(rows.iter().find(|event| event.event_id.original_start.is_none()), entry);
    let is_theirs = |event: &&CalendarEvent| !event.is_own() && Some(&event.authority.organizer) == organizer;
    let invitations = || rows.iter().filter(is_theirs);
    let named = invitations().find(|event| event.event_id.original_start == original);
    let event = named.or_else(|| invitations().find(|event| is_date_of(event, entry)));
    let change = |event: &CalendarEvent| {
        let known = version(&rows, &event.event_id)?;
        let event = responded(event, inbox, rsvp, app.clock.now());
        Some(Box::new(CalendarChange::store(app, event, known, EventType::CalendarEventResponded)))
    };
    Ok(event.and_then(change))
}

/// Returns an event with the response of its inbox.
fn responded(event: &CalendarEvent, inbox: &Inbox, rsvp: &Rsvp, now: OffsetDateTime) -> CalendarEvent {
    let mut event = event.clone();
    for attendee in event.entry.attendees.iter_mut().filter(|one| is_inbox(&one.person, &inbox.inbox_id)) {
        attendee.status = rsvp.status;
        attendee.comment.clone_from(&rsvp.comment);
        attendee.responded_at = Some(now.unix_timestamp());
    }
    event.response = response(&event.entry, &inbox.inbox_id);
    event.revision += 1;
    event.updated_at = now;
    event
}

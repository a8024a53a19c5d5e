//! Deletion of an event, or cancellation of one date of a recurring event.

use inboxd_mail::EntryStatus;

use super::change::{CalendarChange, require_version};
use super::get::{Named, named_event};
use super::invitation::{Occasion, letter};
use super::{ChangedEvent, commit, require_writing};
use crate::Error;
use crate::app::App;
use crate::app::submit::Place;
use crate::model::{Caller, EventId, InboxId, SendResult};

/// Result of a deletion.
#[derive(Debug)]
pub enum DeletedEvent {
    /// The event is gone with all its dates.
    Whole {
        /// Id of the deletion.
        deletion_id: EventId,
        /// The mail to the attendees.
        sent: Option<SendResult>,
    },
    /// One date is cancelled.
    Date(Box<ChangedEvent>),
}

/// Deletes an event, or cancels one date of a recurring event by its dated id, and tells the attendees by mail if the
/// caller wants that.
///
/// # Errors
/// As [`update`](super::update()).
pub async fn delete(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    event_id: &str,
    send_invites: bool,
    if_match: Option<&str>,
) -> Result<DeletedEvent, Error> {
    let inbox = require_writing(app, caller, inbox_id).await?;
    let named = named_event(app, &inbox, event_id).await?;
    let mut event = named.before();
    let Named { id, rows, .. } = named;
    let known = require_version(&rows, &id, if_match)?;
    let now = app.clock.now();
    event.entry.status = EntryStatus::Cancelled;
    if event.is_own() {
        event.entry.sequence = event.entry.sequence.saturating_add(u32::from(send_invites));
        event.entry.stamp = Some(now.unix_timestamp());
    }
    event.revision += 1;
    event.updated_at = now;
    let letter = if send_invites { letter(&inbox, &event, Occasion::Deleted)? } else { None };
    let letter = letter.map(|letter| (letter, Place::default()));
    if id.original_start.is_none() {
        let change = CalendarChange::delete(event, known);
        let sent = commit(app, caller, &inbox, change, letter).await?;
        return Ok(DeletedEvent::Whole { deletion_id: app.mint(now), sent });
    }
    let change = CalendarChange::store(event.clone(), known);
    let sent = commit(app, caller, &inbox, change, letter).await?;
    Ok(DeletedEvent::Date(Box::new(ChangedEvent::new(app, rows, event, sent))))
}

//! Deletion of an event, or cancellation of one date of a recurring event.

use inboxd_mail::EntryStatus;

use super::change::{CalendarChange, require_version};
use super::get::{Named, named_event};
use super::invitation::{Occasion, letter};
use super::{ChangedEvent, commit, require_writing};
use crate::Error;
use crate::app::App;
use crate::app::submit::Place;
use crate::model::{Caller, EventId, EventType, InboxId, SendResult};

/// Result of a deletion.
#[derive(Debug)]
pub enum DeletedEvent {
    /// The event is gone with all its dates.
    Whole {
        /// Id of the deletion, and of its event in the feed.
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
    let is_date = id.original_start.is_some();
    let kind = if is_date { EventType::CalendarEventUpdated } else { EventType::CalendarEventDeleted };
    let change = CalendarChange::store(app, event.clone(), known, kind);
    let operation_id = change.operation_id();
    let sent = commit(app, caller, &inbox, change, letter).await?;
    Ok(if is_date {
        DeletedEvent::Date(Box::new(ChangedEvent::new(operation_id, rows, event, sent)))
    } else {
        DeletedEvent::Whole { deletion_id: operation_id, sent }
    })
}

//! Calendars of inboxes: events of clients, and those that invitations created.

mod agenda;
mod change;
mod create;
mod delete;
mod feed;
mod fields;
mod file;
mod get;
mod invitation;
mod list;
mod moments;
mod notice;
mod reply;
mod respond;
mod settings;
mod update;

pub use agenda::{AgendaWindow, FreeBusy, agenda, free_busy, instances};
pub(super) use change::CalendarChange;
pub use create::create;
pub use delete::{DeletedEvent, delete};
pub use feed::{FeedTarget, close_feed, feed, feed_target, open_feed};
pub(super) use fields::MAX_COMMENT_BYTES;
pub use fields::{DurationMode, EventChange, NewEvent, NewRecurrence, problems_of_event_change, problems_of_new};
pub(super) use file::{CalendarUpdate, file};
pub use get::{FoundEvent, InboxCalendar, event, get};
pub use list::list;
pub use moments::announce_moments;
pub(super) use respond::answered;
pub use respond::respond;
pub use settings::{problems_of_timezone, set_timezone};
pub use update::update;

use super::letter::Letter;
use super::submit::{Place, submit};
use super::{App, inboxes};
use crate::model::{
    CalendarDate, CalendarEvent, Caller, DatedEventId, EventId, Inbox, InboxId, Permission, SendResult,
};
use crate::rules::{access, calendar};
use crate::{Error, Resource};

/// An event after a change.
#[derive(Debug)]
pub struct ChangedEvent {
    /// The event, or the date.
    pub date: CalendarDate,
    /// Version, which `If-Match` names.
    pub version: String,
    /// Id of the change, and of its event in the feed.
    pub operation_id: EventId,
    /// The mail about the change.
    pub sent: Option<SendResult>,
    /// Whether an earlier request made the change.
    pub is_repeat: bool,
}

impl ChangedEvent {
    /// Returns an event after a change among the events as they were read.
    fn new(
        operation_id: EventId,
        mut rows: Vec<CalendarEvent>,
        event: CalendarEvent,
        sent: Option<SendResult>,
    ) -> Self {
        rows.retain(|row| row.event_id != event.event_id);
        rows.push(event.clone());
        let version = calendar::version(&rows, &event.event_id).unwrap_or_default();
        let is_instance = event.event_id.original_start.is_some();
        Self { date: CalendarDate { event, is_instance }, version, operation_id, sent, is_repeat: false }
    }
}

/// Returns the inbox of a calendar that the caller may change. A change can send mail and returns the event.
async fn require_writing(app: &App, caller: &Caller, inbox_id: &InboxId) -> Result<Inbox, Error> {
    access::require_inbox(caller, inbox_id)?;
    access::require(caller, Permission::MessageSend)?;
    access::require(caller, Permission::MessageRead)?;
    inboxes::find(app, caller, inbox_id).await
}

/// Makes a change, in the unit of work that stores its mail if it has one.
async fn commit(
    app: &App,
    caller: &Caller,
    inbox: &Inbox,
    change: CalendarChange,
    mail: Option<(Letter, Place)>,
) -> Result<Option<SendResult>, Error> {
    let Some((letter, place)) = mail else { return change.commit(app, inbox, caller.traceparent).await.map(|()| None) };
    let place = Place { calendar: Some(Box::new(change)), ..place };
    Box::pin(submit(app, caller, inbox, letter, place)).await.map(Some)
}

/// Parses the id that a caller names.
fn parse_id(text: &str) -> Result<DatedEventId, Error> {
    text.parse().map_err(|_| missing(text))
}

fn missing(id: impl ToString) -> Error {
    Error::not_found(Resource::CalendarEvent, id)
}

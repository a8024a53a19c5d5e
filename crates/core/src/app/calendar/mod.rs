//! Calendars of inboxes: events that invitations created.

mod agenda;
mod file;
mod get;
mod list;

pub use agenda::{AgendaWindow, agenda, instances};
pub(super) use file::{CalendarUpdate, file};
pub use get::{InboxCalendar, event, get};
pub use list::list;

use crate::model::DatedEventId;
use crate::{Error, Resource};

/// Parses the id that a caller names.
fn parse_id(text: &str) -> Result<DatedEventId, Error> {
    text.parse().map_err(|_| missing(text))
}

fn missing(id: impl ToString) -> Error {
    Error::not_found(Resource::CalendarEvent, id)
}

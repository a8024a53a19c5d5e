//! Refusals of calendars.

use crate::model::{InboxId, MessageId};

/// Reason for which an event cannot be changed, or an invitation not be answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CalendarRefusal {
    /// The message is no received invitation with an organizer.
    #[error("the message {0} is no invitation that can be answered")]
    NotAnInvitation(MessageId),
    /// The event is none that an invitation created.
    #[error("the event {0} is no invitation that can be answered")]
    NotAnswerable(String),
    /// The invitation does not name the inbox.
    #[error("the invitation does not name {0} as an attendee")]
    NotInvited(InboxId),
    /// The answer would go to another domain than that of an unknown sender.
    #[error("the organizer is {address}, which is of another domain than the unknown sender of the invitation")]
    OrganizerElsewhere {
        /// Address of the organizer.
        address: String,
    },
    /// The inbox is not the organizer of the event.
    #[error("the organizer of the event is {organizer}")]
    NotOrganizer {
        /// Address of the organizer.
        organizer: String,
    },
    /// Dates of a recurring event were changed, so it cannot become an event of one date.
    #[error("dates of the event {0} were changed")]
    HasChangedDates(String),
    /// Another request changed the calendar or event at the same time.
    #[error("{0} was changed meanwhile")]
    Changed(String),
    /// The calendar or event is not in the version that the caller named.
    #[error("{of} is in the version {version}, not in that of If-Match")]
    Stale {
        /// The calendar or event.
        of: String,
        /// Its version.
        version: String,
    },
    /// The `client_id` was used for another request.
    #[error("the client_id {0} was used for another event")]
    ClientIdReused(String),
}

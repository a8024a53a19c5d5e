//! Refusals of answers to invitations.

use crate::model::{InboxId, MessageId};

/// Reason for which an invitation cannot be answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CalendarRefusal {
    /// The message is no received invitation with an organizer.
    #[error("the message {0} is no invitation that can be answered")]
    NotAnInvitation(MessageId),
    /// The invitation does not name the inbox.
    #[error("the invitation does not name {0} as an attendee")]
    NotInvited(InboxId),
    /// The answer would go to another domain than that of an unknown sender.
    #[error("the organizer is {address}, which is of another domain than the unknown sender of the invitation")]
    OrganizerElsewhere {
        /// Address of the organizer.
        address: String,
    },
}

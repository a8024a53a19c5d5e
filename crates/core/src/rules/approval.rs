//! Approvals of held messages and changes of policies: by a person, and never by the author of the message.

use crate::model::{Actor, Caller, MemberId};
use crate::{Error, PolicyError};

/// Returns the member that acts by hand: with neither a key of the organization nor a connected client.
///
/// # Errors
/// [`PolicyError::PersonRequired`].
pub fn require_person(caller: &Caller) -> Result<MemberId, Error> {
    match (&caller.member, &caller.connection, &caller.actor) {
        (Some(person), None, Actor::Member { connection_id: None, .. }) => Ok(person.member_id),
        _ => Err(PolicyError::PersonRequired.into()),
    }
}

/// Refuses an approval by anyone but a person, or by the author of the message. What a connected client wrote, its person
/// may approve.
///
/// # Errors
/// [`PolicyError::PersonRequired`], [`PolicyError::OwnApproval`].
pub fn require_approver(caller: &Caller, author: &Actor) -> Result<(), Error> {
    let person = require_person(caller)?;
    match author {
        Actor::Member { member_id, connection_id: None, .. } if *member_id == person => {
            Err(PolicyError::OwnApproval.into())
        }
        _ => Ok(()),
    }
}

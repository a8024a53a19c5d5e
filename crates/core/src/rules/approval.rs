//! Approvals of held messages and changes of policies: by a person, and never by the author of the message.

use super::loops;
use crate::model::{Actor, Caller, DraftItem, MemberId};
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

/// Refuses an approval by anyone but a person, or by an author of the message: who sent it, and who changed its draft last.
/// What a connected client wrote, its person may approve.
///
/// # Errors
/// [`PolicyError::PersonRequired`], [`PolicyError::OwnApproval`].
pub fn require_approver(caller: &Caller, authors: [&Actor; 2]) -> Result<(), Error> {
    let person = require_person(caller)?;
    let is_own =
        |author: &Actor| matches!(author, Actor::Member { member_id, connection_id: None, .. } if *member_id == person);
    if authors.into_iter().any(is_own) { Err(PolicyError::OwnApproval.into()) } else { Ok(()) }
}

/// Returns the agent whose content a draft keeps when `writer` changes or sends it; `None` if the content becomes that of
/// the writer. A person takes over only what they have read, since an agent can change it at any time.
#[must_use]
pub fn kept_agent(draft: &DraftItem, writer: &Actor, has_read: bool) -> Option<Actor> {
    if has_read || loops::applies_to(writer) {
        return None;
    }
    let last = Some(&draft.updated_by).filter(|actor| loops::applies_to(actor));
    last.or(draft.agent.as_ref()).cloned()
}

//! Send of a new message.

use crate::Error;
use crate::app::letter::{Letter, check};
use crate::app::submit::{Place, submit};
use crate::app::{App, inboxes};
use crate::model::{Caller, IdempotencyClaim, InboxId, Permission, SendResult};
use crate::rules::access;

/// Sends a message that begins a thread. `claim` belongs to the idempotency key of the request, if any.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::MissingPermission`], [`Error::Invalid`], [`Error::NotFound`] for the inbox,
/// [`Error::OrganizationUnverified`], [`Error::RecipientSuppressed`], [`Error::DomainLost`], [`Error::TooLarge`],
/// [`Error::LimitReached`].
pub async fn send(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    letter: Letter,
    claim: Option<IdempotencyClaim>,
) -> Result<SendResult, Error> {
    access::require_inbox(caller, inbox_id)?;
    access::require(caller, Permission::MessageSend)?;
    check(&letter)?;
    let inbox = inboxes::find(app, caller, inbox_id).await?;
    submit(app, caller, &inbox, letter, Place { claim, ..Place::default() }).await
}

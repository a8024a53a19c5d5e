//! Send of a new message.

use crate::Error;
use crate::app::drafts::{self, NewDraft};
use crate::app::letter::{Letter, check};
use crate::app::submit::{DryRun, Place, dry_run, submit};
use crate::app::{App, inboxes};
use crate::model::{Caller, IdempotencyClaim, Inbox, InboxId, Permission, SendResult};
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
    let inbox = prepare(app, caller, inbox_id, &letter).await?;
    if let Some(send_at) = letter.time.due_at(app.clock.now())? {
        let new = NewDraft { letter, send_at: Some(send_at), ..NewDraft::default() };
        return Box::pin(drafts::delay(app, caller, &inbox, new, claim.as_ref())).await;
    }
    submit(app, caller, &inbox, letter, Place { claim, ..Place::default() }).await
}

/// Returns the result that [`send`] would have.
///
/// # Errors
/// As [`send`]; refusals for recipients, quotas and budgets are in the result.
pub async fn dry_run_send(app: &App, caller: &Caller, inbox_id: &InboxId, letter: Letter) -> Result<DryRun, Error> {
    let inbox = prepare(app, caller, inbox_id, &letter).await?;
    dry_run(app, caller, &inbox, letter, Place::default()).await
}

async fn prepare(app: &App, caller: &Caller, inbox_id: &InboxId, letter: &Letter) -> Result<Inbox, Error> {
    access::require_inbox(caller, inbox_id)?;
    access::require(caller, Permission::MessageSend)?;
    check(letter)?;
    inboxes::find(app, caller, inbox_id).await
}

//! Deletion of a draft.

use super::find::{not_found, of_inbox};
use super::update::refuse_claimed;
use crate::Error;
use crate::app::contention::{is_contention, retried};
use crate::app::{App, scope};
use crate::model::permissions::DraftDelete;
use crate::model::{Caller, ClaimedDraft, DraftId, InboxId, Permission, UsageChange};
use crate::rules::access;
use crate::rules::authorization::AuthorizedCaller;

/// Deletes a draft permanently and cancels its scheduled send, which needs the permission to send drafts.
///
/// # Errors
/// [`Error::NotFound`], [`Error::DraftSending`], [`Error::MissingPermission`].
pub async fn delete(
    app: &App,
    caller: &AuthorizedCaller<DraftDelete>,
    inbox_id: &InboxId,
    draft_id: DraftId,
) -> Result<(), Error> {
    scope::find_inbox(app, caller, inbox_id).await?;
    retried(is_contention, || delete_once(app, caller, inbox_id, draft_id)).await
}

async fn delete_once(app: &App, caller: &Caller, inbox_id: &InboxId, draft_id: DraftId) -> Result<(), Error> {
    let mut tx = app.store.begin().await?;
    let found = tx.drafts().lock(caller.organization.organization_id, draft_id).await?;
    let draft = of_inbox(found.ok_or_else(|| not_found(draft_id))?, inbox_id)?;
    refuse_claimed(app, &draft)?;
    if draft.item.dispatch.due_at().is_some() {
        access::require(caller, Permission::DraftSend)?;
    }
    let freed = tx.drafts().remove(&ClaimedDraft::from(&draft.item)).await?.ok_or_else(|| not_found(draft_id))?;
    let change = UsageChange::resized(freed, 0);
    tx.usage().change(&[(draft.item.organization_id, inbox_id.clone(), change)]).await?;
    Ok(tx.commit().await?)
}

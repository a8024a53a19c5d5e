//! Deletion of a file.

use super::find::lock;
use crate::Error;
use crate::app::contention::{is_contention, retried};
use crate::app::{App, inboxes, legal_holds, scope};
use crate::model::permissions::FileDelete;
use crate::model::{Caller, FileId, Inbox, InboxId, UsageChange};
use crate::rules::authorization::AuthorizedCaller;

/// Deletes a file, pending or ready. Its path and its storage are free at once, and its links end.
///
/// # Errors
/// [`Error::NotFound`] for the inbox or the file, [`Error::LegalHold`].
pub async fn delete(
    app: &App,
    caller: &AuthorizedCaller<FileDelete>,
    inbox_id: &InboxId,
    file_id: FileId,
) -> Result<(), Error> {
    let inbox = scope::find_inbox(app, caller, inbox_id).await?;
    retried(is_contention, || delete_once(app, caller.original(), &inbox, file_id)).await
}

async fn delete_once(app: &App, caller: &Caller, inbox: &Inbox, file_id: FileId) -> Result<(), Error> {
    let mut tx = app.store.begin().await?;
    inboxes::hold(tx.as_mut(), inbox).await?;
    legal_holds::require_deletable_inbox(tx.as_mut(), inbox).await?;
    let file = lock(app, tx.as_mut(), caller, &inbox.inbox_id, file_id).await?.file;
    tx.files().delete(file.organization_id, file_id).await?;
    let change = UsageChange::resized(file.size, 0);
    tx.usage().change(&[(file.organization_id, file.inbox_id, change)]).await?;
    Ok(tx.commit().await?)
}

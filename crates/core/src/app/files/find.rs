//! Lookup of one file.

use crate::app::{App, scope};
use crate::model::permissions::FileRead;
use crate::model::{Caller, FileId, Inbox, InboxFile, InboxId, Permission};
use crate::ports::{LockedFile, Tx};
use crate::rules::access;
use crate::rules::authorization::AuthorizedCaller;
use crate::{Error, Resource};

/// Returns a file.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::NotTheirInbox`], [`Error::PodOutOfScope`]; [`Error::NotFound`] for the inbox or
/// the file, an expired one too.
pub async fn get(
    app: &App,
    caller: &AuthorizedCaller<FileRead>,
    inbox_id: &InboxId,
    file_id: FileId,
) -> Result<InboxFile, Error> {
    let inbox = scope::find_inbox(app, caller, inbox_id).await?;
    of_inbox(app, &inbox, file_id).await?.ok_or_else(|| not_found(file_id))
}

/// Returns a file of an inbox, pending or ready; `None` for one that is gone or of another inbox.
pub(in crate::app) async fn of_inbox(app: &App, inbox: &Inbox, file_id: FileId) -> Result<Option<InboxFile>, Error> {
    let found = app.store.file(inbox.organization_id, file_id).await?;
    let now = app.clock.now();
    Ok(found.filter(|file| file.inbox_id == inbox.inbox_id && !file.is_over(now)))
}

/// Locks a file of an inbox that the caller sees: one with `file_read` every file, another one its own.
pub(super) async fn lock(
    app: &App,
    tx: &mut dyn Tx,
    caller: &Caller,
    inbox_id: &InboxId,
    file_id: FileId,
) -> Result<LockedFile, Error> {
    let found = tx.files().lock(caller.organization.organization_id, file_id).await?;
    let now = app.clock.now();
    found
        .filter(|locked| locked.file.inbox_id == *inbox_id && !locked.file.is_over(now) && sees(caller, &locked.file))
        .ok_or_else(|| not_found(file_id))
}

/// Returns whether a caller sees a file.
pub(super) fn sees(caller: &Caller, file: &InboxFile) -> bool {
    access::holds(caller, Permission::FileRead) || file.created_by == caller.actor.id()
}

pub(super) fn not_found(file_id: FileId) -> Error {
    Error::not_found(Resource::File, file_id)
}

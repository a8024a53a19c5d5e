//! Taking a note away.

use crate::app::threads::get::find;
use crate::app::{App, inboxes};
use crate::model::{Actor, Caller, InboxId, Note, NoteId, Permission, ThreadId};
use crate::rules::access;
use crate::{Error, Resource};

/// Deletes a note: whoever wrote it may, and so may a key of the organization without restriction.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::MissingPermission`], [`Error::NotFound`], [`Error::NotTheAuthor`].
pub async fn delete(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    thread_id: ThreadId,
    note_id: NoteId,
) -> Result<(), Error> {
    access::require_inbox(caller, inbox_id)?;
    access::require(caller, Permission::MessageUpdate)?;
    inboxes::find(app, caller, inbox_id).await?;
    find(app, caller, inbox_id, thread_id).await?;
    let not_found = || Error::not_found(Resource::Note, note_id);
    let notes = app.store.notes_of_thread(caller.organization.organization_id, inbox_id, thread_id).await?;
    let note = notes.into_iter().find(|note| note.note_id == note_id).ok_or_else(not_found)?;
    if !may_delete(caller, &note) {
        let (Actor::Member { name: author, .. } | Actor::ApiKey { name: author, .. }) = note.created_by;
        return Err(Error::NotTheAuthor { author });
    }
    let mut tx = app.store.begin().await?;
    if !tx.notes().delete(&note).await? {
        return Err(not_found());
    }
    Ok(tx.commit().await?)
}

fn may_delete(caller: &Caller, note: &Note) -> bool {
    note.created_by.id() == caller.actor.id() || access::is_unrestricted(caller)
}

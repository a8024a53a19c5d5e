//! Deletion of a note.

use crate::app::threads::get::find;
use crate::app::threads::inbox::inbox_of;
use crate::app::{App, inboxes, legal_holds};
use crate::model::permissions::MessageUpdate;
use crate::model::{Actor, Caller, Note, NoteId, ThreadId};
use crate::rules::access;
use crate::rules::authorization::AuthorizedCaller;
use crate::{Error, Resource};

/// Deletes a note. Its author and any unrestricted organization key may delete it.
///
/// # Errors
/// [`Error::NotFound`], [`Error::PodOutOfScope`], [`Error::NotTheAuthor`], [`Error::LegalHold`].
pub async fn delete(
    app: &App,
    caller: &AuthorizedCaller<MessageUpdate>,
    thread_id: ThreadId,
    note_id: NoteId,
) -> Result<(), Error> {
    let inbox = inbox_of(app, caller, thread_id).await?;
    let inbox_id = &inbox.inbox_id;
    find(app, caller, inbox_id, thread_id).await?;
    let not_found = || Error::not_found(Resource::Note, note_id);
    let notes = app.store.notes_of_thread(caller.organization.organization_id, inbox_id, thread_id).await?;
    let note = notes.into_iter().find(|note| note.note_id == note_id).ok_or_else(not_found)?;
    if !may_delete(caller, &note) {
        let (Actor::Member { name: author, .. } | Actor::ApiKey { name: author, .. }) = note.created_by;
        return Err(Error::NotTheAuthor { author });
    }
    let mut tx = app.store.begin().await?;
    inboxes::hold(tx.as_mut(), &inbox).await?;
    legal_holds::require_deletable_inbox(tx.as_mut(), &inbox).await?;
    if !tx.notes().delete(&note).await? {
        return Err(not_found());
    }
    Ok(tx.commit().await?)
}

fn may_delete(caller: &Caller, note: &Note) -> bool {
    note.created_by.id() == caller.actor.id() || access::is_unrestricted(caller)
}

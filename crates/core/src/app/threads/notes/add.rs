//! Writing a note.

use crate::app::threads::get::find;
use crate::app::{App, inboxes};
use crate::model::{Caller, InboxId, Note, NoteId, Permission, ThreadId};
use crate::rules::access;
use crate::{Error, Resource};

/// The most characters of a note.
const LONGEST: usize = 10_000;
/// The most notes of a thread: all of them are read with it.
const MOST: u64 = 200;

/// Writes a note beside a thread. It is never sent, and no event.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::MissingPermission`], [`Error::Invalid`], [`Error::NotFound`].
pub async fn add(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    thread_id: ThreadId,
    text: String,
) -> Result<Note, Error> {
    access::require_inbox(caller, inbox_id)?;
    access::require(caller, Permission::MessageUpdate)?;
    check(&text).map_err(|message| Error::invalid("text", message))?;
    inboxes::find(app, caller, inbox_id).await?;
    find(app, caller, inbox_id, thread_id).await?;
    let organization_id = caller.organization.organization_id;
    let now = app.clock.now();
    let note = Note {
        organization_id,
        inbox_id: inbox_id.clone(),
        thread_id,
        note_id: app.mint::<NoteId>(now),
        text,
        created_by: caller.actor.clone(),
        created_at: now,
    };
    let mut tx = app.store.begin().await?;
    if tx.threads().lock(organization_id, inbox_id, &[thread_id]).await?.is_empty() {
        return Err(Error::not_found(Resource::Thread, thread_id));
    }
    if tx.notes().count(organization_id, inbox_id, thread_id).await? >= MOST {
        return Err(Error::invalid("text", format!("a thread holds at most {MOST} notes; delete one first")));
    }
    tx.notes().insert(&note).await?;
    tx.commit().await?;
    Ok(note)
}

fn check(text: &str) -> Result<(), String> {
    if text.trim().is_empty() || text.chars().count() > LONGEST {
        return Err(format!("a note has 1 to {LONGEST} characters"));
    }
    if text.contains('\0') {
        return Err("a note holds no NUL".to_owned());
    }
    Ok(())
}

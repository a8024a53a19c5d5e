//! Creation of a note.

use crate::app::threads::get::find;
use crate::app::threads::inbox::inbox_of;
use crate::app::{App, row_limits};
use crate::model::permissions::MessageUpdate;
use crate::model::{Note, NoteId, ThreadId};
use crate::ports::ClientIdKind;
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::names;
use crate::{Error, FieldError, LimitedRows, Resource};

/// Maximum length of a note, in characters.
const MAX_NOTE_CHARS: usize = 10_000;
/// Maximum number of notes of a thread. Every read of a thread returns all of them.
const MAX_THREAD_NOTES: u64 = 200;

/// A note to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewNote {
    /// Text.
    pub text: String,
    /// The caller's idempotency key.
    pub client_id: Option<String>,
}

/// Creates a note on a thread, or returns the earlier note with the same `client_id`. A note is never sent and causes
/// no event.
///
/// # Errors
/// [`Error::Invalid`], [`Error::NotFound`], [`Error::PodOutOfScope`], [`Error::ClientIdSpent`],
/// [`Error::LimitReached`], [`Error::RowLimitReached`].
pub async fn add(
    app: &App,
    caller: &AuthorizedCaller<MessageUpdate>,
    thread_id: ThreadId,
    new: NewNote,
) -> Result<Note, Error> {
    Error::unless_empty(problems_of_new(&new))?;
    let inbox_id = &inbox_of(app, caller, thread_id).await?.inbox_id;
    find(app, caller, inbox_id, thread_id).await?;
    let organization_id = caller.organization.organization_id;
    let now = app.clock.now();
    let note = Note {
        organization_id,
        inbox_id: inbox_id.clone(),
        thread_id,
        note_id: app.mint::<NoteId>(now),
        text: new.text,
        created_by: caller.actor.clone(),
        created_at: now,
    };
    let mut tx = app.store.begin().await?;
    let organization = row_limits::lock_organization(tx.as_mut(), organization_id).await?;
    if tx.threads().lock(organization_id, inbox_id, &[thread_id]).await?.is_empty() {
        return Err(Error::not_found(Resource::Thread, thread_id));
    }
    if let Some(client_id) = &new.client_id {
        let made = note.note_id.to_string();
        if let Some(made) = tx.client_ids().spend(organization_id, ClientIdKind::Note, client_id, &made).await? {
            drop(tx);
            let notes = app.store.notes_of_thread(organization_id, inbox_id, thread_id).await?;
            let original = notes.into_iter().find(|note| note.note_id.to_string() == made);
            return original.ok_or_else(|| Error::ClientIdSpent(client_id.clone()));
        }
    }
    if tx.notes().count(organization_id, inbox_id, thread_id).await? >= MAX_THREAD_NOTES {
        return Err(Error::RowLimitReached { rows: LimitedRows::Notes, limit: MAX_THREAD_NOTES });
    }
    row_limits::require_storage(tx.as_mut(), &organization).await?;
    tx.notes().insert(&note).await?;
    if new.client_id.is_some() {
        row_limits::count_creation(app, tx.as_mut(), organization_id, now).await?;
    }
    tx.commit().await?;
    Ok(note)
}

/// Validates a new note.
#[must_use]
pub fn problems_of_new(new: &NewNote) -> Vec<FieldError> {
    let client_id = new.client_id.as_deref().map_or(Ok(()), names::validate_client_id);
    let checks = [("text", check(&new.text)), ("client_id", client_id)];
    checks.into_iter().filter_map(|(path, checked)| Some(FieldError::new(path, checked.err()?))).collect()
}

fn check(text: &str) -> Result<(), String> {
    if text.trim().is_empty() || text.chars().count() > MAX_NOTE_CHARS {
        return Err(format!("a note has 1 to {MAX_NOTE_CHARS} characters"));
    }
    if text.contains('\0') {
        return Err("a note holds no NUL".to_owned());
    }
    Ok(())
}

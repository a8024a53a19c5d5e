//! A note on a thread.

use inboxd_core::model;
use serde::Serialize;
use utoipa::ToSchema;

use super::actor::ActorView;
use super::time::format_time;

/// What somebody wrote beside a thread.
#[derive(Serialize, ToSchema)]
#[schema(as = Note)]
pub(crate) struct NoteView {
    /// Its id.
    note_id: String,
    /// What it says.
    text: String,
    /// Who wrote it.
    created_by: ActorView,
    /// When it was written.
    #[schema(format = DateTime)]
    created_at: String,
}

impl From<model::Note> for NoteView {
    fn from(note: model::Note) -> Self {
        Self {
            note_id: note.note_id.to_string(),
            text: note.text,
            created_by: note.created_by.into(),
            created_at: format_time(note.created_at),
        }
    }
}

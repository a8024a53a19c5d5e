//! Notes.

use inboxd_core::model;
use serde::Serialize;
use utoipa::ToSchema;

use super::actor::ActorView;
use super::time::format_time;

/// Internal note on a thread; it is never sent.
#[derive(Serialize, ToSchema)]
#[schema(as = Note)]
pub(crate) struct NoteView {
    /// Id of the note.
    note_id: String,
    /// Text of the note.
    text: String,
    /// Author of the note.
    created_by: ActorView,
    /// Time of creation.
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

//! A note on a thread.

use inboxd_core::model;
use serde::Serialize;
use utoipa::ToSchema;

use super::actor::Actor;
use super::time::shown;

/// What somebody wrote beside a thread.
#[derive(Serialize, ToSchema)]
pub(crate) struct Note {
    /// Its id.
    note_id: String,
    /// What it says.
    text: String,
    /// Who wrote it.
    created_by: Actor,
    /// When it was written.
    #[schema(format = DateTime)]
    created_at: String,
}

impl From<model::Note> for Note {
    fn from(note: model::Note) -> Self {
        Self {
            note_id: note.note_id.to_string(),
            text: note.text,
            created_by: note.created_by.into(),
            created_at: shown(note.created_at),
        }
    }
}

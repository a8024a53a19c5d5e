//! `POST /v0/inboxes/{inbox_id}/threads/{thread_id}/notes`

use actix_web::web::Json;
use inboxd_core::app::threads::notes::{self, NewNote};
use inboxd_core::model::permissions::MessageUpdate;

use crate::authorized::Authorized;
use crate::body::{ClientId, NoteText, request};
use crate::endpoints::JsonResult;
use crate::views::NoteView;

request! {
    /// Note to create.
    pub(crate) struct NewNoteRequest {
        /// Text of the note.
        #[schema(value_type = NoteText)]
        text: String,
        /// Idempotency key: a repeat returns the note of the thread created before.
        #[schema(value_type = Option<ClientId>)]
        client_id: Option<String>,
    }
}

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/threads/{thread_id}/notes",
    operation_id = "create_note",
    tag = "Threads",
    summary = "Create note",
    description = "Creates an internal note on a thread. Notes are never sent and cause no events.",
    request_body = NewNoteRequest,
    responses((status = 200, description = "The note", body = NoteView))
)]
pub(crate) async fn handle(mut call: Authorized<MessageUpdate>) -> JsonResult<NoteView> {
    let read = call.body::<NewNoteRequest>().await?;
    let read = read.map(|NewNoteRequest { text, client_id }| NewNote { text, client_id });
    let new = read.checked(notes::problems_of_new)?;
    let note = notes::add(call.app(), &call.caller, call.thread_id()?, new).await?;
    Ok(Json(note.into()))
}

//! `GET /v0/inboxes/{inbox_id}/drafts/{draft_id}`

use actix_web::web::Json;
use inboxd_core::app::drafts;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::views::Draft;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/drafts/{draft_id}",
    operation_id = "get_inbox_draft",
    tag = "Drafts",
    summary = "Read a draft",
    description = "Reads a draft with its bodies. Needs `draft_read`.",
    params(
        ("inbox_id" = String, Path, description = "The inbox"),
        ("draft_id" = String, Path, description = "The draft")
    ),
    responses((status = 200, description = "The draft", body = Draft))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<Draft> {
    let inbox_id = call.inbox(Permission::DraftRead)?;
    let draft = drafts::get(call.app(), &call.caller, Some(&inbox_id), call.draft_id()?).await?;
    Ok(Json(Draft::new(draft, call.app().clock.now())))
}

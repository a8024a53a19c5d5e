//! `GET /v0/drafts/{draft_id}`

use actix_web::web::Json;
use inboxd_core::app::drafts;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::views::Draft;

#[utoipa::path(
    get,
    path = "/v0/drafts/{draft_id}",
    operation_id = "get_draft",
    tag = "Drafts",
    summary = "Read any draft",
    description = "Reads a draft of any inbox that the key reaches, with its bodies. Needs `draft_read`.",
    params(("draft_id" = String, Path, description = "The draft")),
    responses((status = 200, description = "The draft", body = Draft))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<Draft> {
    call.require(Permission::DraftRead)?;
    let draft = drafts::get(call.app(), &call.caller, None, call.draft_id()?).await?;
    Ok(Json(Draft::new(draft, call.app().clock.now())))
}

//! `GET …/drafts/{draft_id}`

use actix_web::web::Json;
use inboxd_core::app::drafts;
use inboxd_core::model::permissions::DraftRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::views::DraftView;

#[utoipa::path(
    get,
    path = "/v0/drafts/{draft_id}",
    operation_id = "get_draft",
    tag = "Drafts",
    summary = "Read draft",
    description = "Returns a draft with its bodies.",
    responses((status = 200, description = "The draft", body = DraftView))
)]
pub(crate) async fn handle(call: Authorized<DraftRead>) -> JsonResult<DraftView> {
    let draft = drafts::get(call.app(), &call.caller, call.draft_id()?).await?;
    Ok(Json(DraftView::new(draft, call.app().clock.now())))
}

//! `GET …/legal-hold`

use actix_web::web::Json;
use inboxd_core::app::legal_holds;
use inboxd_core::model::permissions::LegalHoldRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::views::LegalHoldView;

#[utoipa::path(
    get,
    path = "/v0/legal-hold",
    operation_id = "get_legal_hold",
    tag = "Legal hold",
    summary = "Read legal hold",
    description = "Returns the legal hold of the organization or of one inbox. That of the organization covers all inboxes.",
    responses((status = 200, description = "The hold", body = LegalHoldView))
)]
pub(crate) async fn handle(call: Authorized<LegalHoldRead>) -> JsonResult<LegalHoldView> {
    Ok(Json(legal_holds::get(call.app(), &call.caller).await?.into()))
}

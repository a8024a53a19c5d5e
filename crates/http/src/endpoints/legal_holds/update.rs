//! `PATCH …/legal-hold`

use actix_web::web::Json;
use inboxd_core::app::legal_holds::{self, LegalHoldChange};
use inboxd_core::model::permissions::LegalHoldUpdate;

use crate::authorized::Authorized;
use crate::body::request;
use crate::endpoints::JsonResult;
use crate::views::LegalHoldView;

request! {
    /// New state of a legal hold.
    pub(crate) struct LegalHoldChangeRequest {
        /// Whether the hold is in force.
        enabled: bool,
        /// Why it is placed or ended, in one line of 1 to 300 characters; the audit log keeps it.
        reason: String,
    }
}

impl From<LegalHoldChangeRequest> for LegalHoldChange {
    fn from(request: LegalHoldChangeRequest) -> Self {
        Self { enabled: request.enabled, reason: request.reason }
    }
}

#[utoipa::path(
    patch,
    path = "/v0/legal-hold",
    operation_id = "update_legal_hold",
    tag = "Legal hold",
    summary = "Place or end legal hold",
    description = "Places or ends the legal hold of the organization or of one inbox. While it is in force, no message, thread, note, inbox, pod or organization that it covers can be deleted, and no retention deletes messages. Only an owner or admin can do it, with the key of a sign-in.",
    request_body = LegalHoldChangeRequest,
    responses((status = 200, description = "The hold", body = LegalHoldView))
)]
pub(crate) async fn handle(mut call: Authorized<LegalHoldUpdate>) -> JsonResult<LegalHoldView> {
    let read = call.body::<LegalHoldChangeRequest>().await?.map(LegalHoldChange::from);
    let change = read.checked(legal_holds::problems_of_change)?;
    Ok(Json(legal_holds::update(call.app(), &call.caller, change).await?.into()))
}

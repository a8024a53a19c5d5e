//! `GET /v0/billing`

use actix_web::web::Json;
use inboxd_core::app::billing::status;

use crate::auth::AuthenticatedRequest;
use crate::endpoints::JsonResult;
use crate::views::BillingView;

#[utoipa::path(
    get,
    path = "/v0/billing",
    operation_id = "get_billing",
    tag = "Billing",
    summary = "Read plan",
    description = "Returns the stored plan, and whether payments are configured on this server. Requires `billing`.",
    responses((status = 200, description = "The plan", body = BillingView))
)]
pub(crate) async fn handle(call: AuthenticatedRequest) -> JsonResult<BillingView> {
    Ok(Json(status(call.app(), &call.caller)?.into()))
}

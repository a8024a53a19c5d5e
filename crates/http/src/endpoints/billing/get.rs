//! `GET /v0/billing`

use actix_web::web::Json;
use inboxd_core::app::billing::status;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::views::Billing;

#[utoipa::path(
    get,
    path = "/v0/billing",
    operation_id = "get_billing",
    tag = "Billing",
    summary = "The plan",
    description = "Answers the plan from our own record, and whether payments are configured here. Requires `billing`.",
    responses((status = 200, description = "The plan", body = Billing))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<Billing> {
    Ok(Json(status(call.app(), &call.caller)?.into()))
}

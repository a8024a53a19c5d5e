//! `POST /v0/billing/portal`

use actix_web::web::Json;
use inboxd_core::app::billing::portal;

use super::home;
use crate::auth::AuthenticatedRequest;
use crate::endpoints::JsonResult;
use crate::views::HostedPage;

#[utoipa::path(
    post,
    path = "/v0/billing/portal",
    operation_id = "open_billing_portal",
    tag = "Billing",
    summary = "Create billing portal page",
    description = "Returns the hosted page where the customer changes the plan, the card and the address, reads invoices \
        and cancels. The request has no body. Requires `billing`.",
    responses(
        (status = 200, description = "The customer's page", body = HostedPage),
        (status = 409, description = "There is no customer yet")
    )
)]
pub(crate) async fn handle(call: AuthenticatedRequest) -> JsonResult<HostedPage> {
    let url = portal(call.app(), &call.caller, &home(&call)).await?;
    Ok(Json(HostedPage { url }))
}

//! `GET /v0/organizations`

use actix_web::web::Json;
use inboxd_core::app::account::overview;

use crate::auth::AuthenticatedRequest;
use crate::endpoints::JsonResult;
use crate::views::OrganizationView;

#[utoipa::path(
    get,
    path = "/v0/organizations",
    operation_id = "get_organization",
    tag = "Account",
    summary = "Read organization",
    description = "Returns the organization with its usage and limits. Requires `organization_read`.",
    responses((status = 200, description = "The organization", body = OrganizationView))
)]
pub(crate) async fn handle(call: AuthenticatedRequest) -> JsonResult<OrganizationView> {
    Ok(Json(overview(call.app(), &call.caller).await?.into()))
}

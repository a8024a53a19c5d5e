//! `GET /v0/organizations/labs`

use actix_web::web::Json;
use inboxd_core::model::permissions::OrganizationRead;
use serde::Serialize;
use utoipa::ToSchema;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;

/// Participation in previews. This service has none.
#[derive(Serialize, ToSchema)]
pub(crate) struct OrganizationLabs {
    /// Whether the organization takes part: no.
    enabled: bool,
    /// Whether this service has previews: no.
    available: bool,
}

#[utoipa::path(
    get,
    path = "/v0/organizations/labs",
    operation_id = "get_labs",
    tag = "Account",
    summary = "Read labs",
    description = "Says that this service has no Labs (features to try early): every feature is on for every organization.",
    responses((status = 200, description = "No Labs", body = OrganizationLabs))
)]
pub(crate) async fn handle(_: Authorized<OrganizationRead>) -> JsonResult<OrganizationLabs> {
    Ok(Json(OrganizationLabs { enabled: false, available: false }))
}

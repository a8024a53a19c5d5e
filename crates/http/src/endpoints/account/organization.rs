//! `GET /v0/organizations`

use actix_web::web::Json;
use inboxd_core::app::account::overview;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::views::Organization;

#[utoipa::path(
    get,
    path = "/v0/organizations",
    operation_id = "get_organization",
    tag = "Account",
    summary = "The organization",
    description = "Answers the organization, what it uses and its caps. Requires `organization_read`.",
    responses((status = 200, description = "The organization", body = Organization))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<Organization> {
    Ok(Json(overview(call.app(), &call.caller).await?.into()))
}

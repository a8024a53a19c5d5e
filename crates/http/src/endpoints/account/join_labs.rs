//! `POST /v0/organizations/labs`

use inboxd_core::model::permissions::OrganizationUpdate;
use inboxd_core::{AbsentFeature, Error};

use super::labs::OrganizationLabs;
use crate::authorized::Authorized;
use crate::endpoints::JsonResult;

#[utoipa::path(
    post,
    path = "/v0/organizations/labs",
    operation_id = "join_labs",
    tag = "Account",
    summary = "Join labs",
    description = "Refuses every organization with `not_offered`: this service has no Labs (features to try early).",
    responses((status = 200, description = "Never returned", body = OrganizationLabs))
)]
pub(crate) async fn handle(_: Authorized<OrganizationUpdate>) -> JsonResult<OrganizationLabs> {
    Err(Error::from(AbsentFeature::Labs).into())
}

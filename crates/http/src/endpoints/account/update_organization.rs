//! `PATCH /v0/organizations`

use actix_web::web::Json;
use inboxd_core::app::quarantine;
use inboxd_core::model::permissions::OrganizationUpdate;

use crate::authorized::Authorized;
use crate::body::{QuarantineModeName, request};
use crate::endpoints::JsonResult;
use crate::views::OrganizationView;

request! {
    /// Changes of an organization; absent fields keep their value.
    pub(crate) struct OrganizationChangeRequest {
        /// Quarantine of messages that are received from now on. A less strict one also requires `agent_armor_release`.
        #[schema(value_type = Option<QuarantineModeName>)]
        quarantine: Option<QuarantineModeName>,
    }
}

#[utoipa::path(
    patch,
    path = "/v0/organizations",
    operation_id = "update_organization",
    tag = "Account",
    summary = "Update organization",
    description = "Changes the quarantine of received messages. Also requires `agent_armor_release` for a less strict one.",
    request_body = OrganizationChangeRequest,
    responses((status = 200, description = "The organization", body = OrganizationView))
)]
pub(crate) async fn handle(mut call: Authorized<OrganizationUpdate>) -> JsonResult<OrganizationView> {
    let request = call.body::<OrganizationChangeRequest>().await?.whole()?;
    let mode = request.quarantine.map(|mode| mode.0);
    Ok(Json(quarantine::update(call.app(), &call.caller, mode).await?.into()))
}

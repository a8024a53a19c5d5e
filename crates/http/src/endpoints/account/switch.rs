//! `POST /v0/auth/switch`

use actix_web::web::Json;
use inboxd_core::Error;
use inboxd_core::app::account::switch;

use crate::auth::AuthenticatedRequest;
use crate::body::request;
use crate::endpoints::JsonResult;
use crate::views::SignedIn;

request! {
    /// Organization to switch to.
    pub(crate) struct SwitchRequest {
        /// Id of an organization that `GET /v0/auth/me` lists.
        organization_id: String,
    }
}

#[utoipa::path(
    post,
    path = "/v0/auth/switch",
    operation_id = "switch_organization",
    tag = "Account",
    summary = "Switch organization",
    description = "Creates an API key in another organization of the member, without another code. Only keys created by sign-in may call this.",
    request_body = SwitchRequest,
    responses((status = 200, description = "The new key", body = SignedIn))
)]
pub(crate) async fn handle(mut call: AuthenticatedRequest) -> JsonResult<SignedIn> {
    if call.caller.member.is_none() {
        return Err(Error::NotAPerson.into());
    }
    let SwitchRequest { organization_id } = call.body::<SwitchRequest>().await?.whole()?;
    Ok(Json(switch(call.app(), &call.caller, &organization_id).await?.into()))
}

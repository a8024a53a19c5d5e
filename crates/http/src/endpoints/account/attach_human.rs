//! `POST /v0/agent/human`

use actix_web::web::Json;
use inboxd_core::app::account::attach_human;
use inboxd_core::model::permissions::OrganizationUpdate;
use serde::Serialize;
use utoipa::ToSchema;

use crate::authorized::Authorized;
use crate::body::request;
use crate::endpoints::JsonResult;

request! {
    /// Owner address of an organization.
    pub(crate) struct AttachHumanRequest {
        /// Email address of the owner, which receives a six-digit code.
        #[schema(example = "owner@example.org", format = Email)]
        human_email: String,
    }
}

/// Owner address and the next step.
#[derive(Serialize, ToSchema)]
pub(crate) struct AttachHumanResponse {
    /// Email address of the owner.
    human_email: String,
    /// Next step, in plain text.
    instructions: String,
}

#[utoipa::path(
    post,
    path = "/v0/agent/human",
    operation_id = "attach_human",
    tag = "Account",
    summary = "Attach human",
    description = "Names the owner of an unverified organization and mails a code to the address, for POST /v0/agent/verify. Another address replaces the owner, at most twice and not after the owner signed in. A code that still works is not mailed again.",
    request_body = AttachHumanRequest,
    responses((status = 200, description = "The owner address", body = AttachHumanResponse))
)]
pub(crate) async fn handle(mut call: Authorized<OrganizationUpdate>) -> JsonResult<AttachHumanResponse> {
    let request = call.body::<AttachHumanRequest>().await?.whole()?;
    let attached = attach_human(call.app(), &call.caller, &request.human_email).await?;
    let human_email = attached.human_email.to_string();
    let mailed = if attached.is_mailed { "was mailed to" } else { "was mailed before and still works, to" };
    let instructions = format!(
        "A six-digit code {mailed} {human_email}. Ask the owner for it and send it with POST /v0/agent/verify. Until \
         then messages can be sent to the owner only."
    );
    Ok(Json(AttachHumanResponse { human_email, instructions }))
}

//! `POST /v0/agent/verify`

use actix_web::web::Json;
use inboxd_core::app::account::verify;
use serde::Serialize;
use utoipa::ToSchema;

use crate::auth::Authenticated;
use crate::body::request;
use crate::endpoints::Answer;

request! {
    /// The code that proves control of the owner's mailbox.
    pub(crate) struct VerifyRequest {
        /// Six digits.
        #[schema(example = "123456")]
        otp_code: String,
    }
}

/// What confirming opened.
#[derive(Serialize, ToSchema)]
pub(crate) struct VerifyResponse {
    /// Always true.
    verified: bool,
    /// Where the organization mints inboxes from now on.
    inbox_domain: String,
    /// Its inboxes on the sign-up domain.
    inboxes_on_signup_domain: Vec<String>,
}

#[utoipa::path(
    post,
    path = "/v0/agent/verify",
    operation_id = "verify",
    tag = "Account",
    summary = "Confirm the owner address",
    description = "Confirms the owner address with the mailed code; the plan's own caps apply at once. Needs `organization_update`.",
    request_body = VerifyRequest,
    responses((status = 200, description = "Verified", body = VerifyResponse))
)]
pub(crate) async fn handle(mut call: Authenticated) -> Answer<VerifyResponse> {
    let VerifyRequest { otp_code } = call.body::<VerifyRequest>().await?.whole()?;
    let verified = verify(call.app(), &call.caller, &otp_code).await?;
    Ok(Json(VerifyResponse {
        verified: true,
        inbox_domain: verified.inbox_domain,
        inboxes_on_signup_domain: verified.inboxes_on_signup_domain.iter().map(ToString::to_string).collect(),
    }))
}

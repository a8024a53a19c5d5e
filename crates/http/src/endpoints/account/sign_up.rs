//! `POST /v0/agent/sign-up`

use actix_web::web::Json;
use inboxd_core::app::account::{SignUp, problems_of_sign_up, sign_up};
use serde::Serialize;
use utoipa::ToSchema;

use crate::auth::UnauthenticatedRequest;
use crate::body::{Username, request};
use crate::endpoints::JsonResult;

request! {
    /// Who signs up.
    pub(crate) struct SignUpRequest {
        /// The owner's address; a six-digit code is mailed to it.
        #[schema(example = "owner@example.org", format = Email)]
        human_email: String,
        /// The username of the first inbox.
        #[schema(value_type = Username, example = "scout")]
        username: String,
    }
}

/// What was made.
#[derive(Serialize, ToSchema)]
pub(crate) struct SignUpResponse {
    /// The organization.
    organization_id: String,
    /// Its first inbox.
    inbox_id: String,
    /// A key that reaches all of the organization. It is shown here and never again.
    #[schema(example = "am_…")]
    api_key: String,
}

#[utoipa::path(
    post,
    path = "/v0/agent/sign-up",
    operation_id = "sign_up",
    tag = "Account",
    summary = "Sign up",
    description = "Makes an organization, its first inbox and a key, and mails a code to the owner.",
    security(()),
    request_body = SignUpRequest,
    responses((status = 200, description = "Signed up", body = SignUpResponse))
)]
pub(crate) async fn handle(mut call: UnauthenticatedRequest) -> JsonResult<SignUpResponse> {
    call.limit()?;
    let client = Some(call.client());
    let read = call.body::<SignUpRequest>().await?;
    let read = read.map(|SignUpRequest { human_email, username }| SignUp { human_email, username, client });
    let wanted = read.checked(|wanted| problems_of_sign_up(call.app(), wanted))?;
    let made = sign_up(call.app(), wanted).await?;
    Ok(Json(SignUpResponse {
        organization_id: made.organization_id.to_string(),
        inbox_id: made.inbox_id.to_string(),
        api_key: made.api_key.reveal().to_owned(),
    }))
}

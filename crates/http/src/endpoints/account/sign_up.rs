//! `POST /v0/agent/sign-up`

use actix_web::web::Json;
use inboxd_core::app::account::{SignUp, problems_of_sign_up, sign_up};
use serde::Serialize;
use utoipa::ToSchema;

use crate::auth::UnauthenticatedRequest;
use crate::body::{Username, request};
use crate::endpoints::JsonResult;

request! {
    /// Owner address and first inbox of a new organization.
    pub(crate) struct SignUpRequest {
        /// Email address of the owner, which receives a six-digit code. Without one the organization receives but sends
        /// nothing, until POST /v0/agent/human names the owner.
        #[schema(example = "owner@example.org", format = Email)]
        human_email: Option<String>,
        /// Username of the first inbox.
        #[schema(value_type = Username, example = "scout")]
        username: String,
        /// Invitation of the operator, which one sign-up uses up. A server may require one.
        #[schema(max_length = 100)]
        invitation: Option<String>,
    }
}

/// New organization with its first inbox and key.
#[derive(Serialize, ToSchema)]
pub(crate) struct SignUpResponse {
    /// Id of the organization.
    organization_id: String,
    /// Address of the first inbox.
    inbox_id: String,
    /// API key for the whole organization. Only this response contains it.
    #[schema(example = "am_…")]
    api_key: String,
}

#[utoipa::path(
    post,
    path = "/v0/agent/sign-up",
    operation_id = "sign_up",
    tag = "Account",
    summary = "Sign up",
    description = "Creates an organization, its first inbox and an API key, and mails a verification code to the owner, if one is named.",
    security(()),
    request_body = SignUpRequest,
    responses(
        (status = 200, description = "Signed up", body = SignUpResponse),
        (status = 403, description = "Sign-ups are closed, or need an invitation")
    )
)]
pub(crate) async fn handle(mut call: UnauthenticatedRequest) -> JsonResult<SignUpResponse> {
    call.limit()?;
    let client = Some(call.client());
    let read = call.body::<SignUpRequest>().await?;
    let read = read.map(|request| {
        let SignUpRequest { human_email, username, invitation } = request;
        SignUp { human_email, username, invitation, client }
    });
    let wanted = read.checked(|wanted| problems_of_sign_up(call.app(), wanted))?;
    let made = sign_up(call.app(), wanted).await?;
    Ok(Json(SignUpResponse {
        organization_id: made.organization_id.to_string(),
        inbox_id: made.inbox_id.to_string(),
        api_key: made.api_key.reveal().to_owned(),
    }))
}

//! `POST /v0/agent/sign-in`

use actix_web::web::Json;
use inboxd_core::app::account::sign_in;
use serde::Serialize;
use utoipa::ToSchema;

use crate::auth::UnauthenticatedRequest;
use crate::body::request;
use crate::endpoints::JsonResult;

request! {
    /// Who signs in.
    pub(crate) struct SignInRequest {
        /// The address; a six-digit code is mailed to it.
        #[schema(example = "owner@example.org")]
        email: String,
    }
}

/// The same for every address.
#[derive(Serialize, ToSchema)]
pub(crate) struct SignInResponse {
    /// Always true.
    sent: bool,
}

#[utoipa::path(
    post,
    path = "/v0/agent/sign-in",
    operation_id = "sign_in",
    tag = "Account",
    summary = "Sign in",
    description = "Mails a six-digit code to an address that belongs to an organization or is invited to one. The answer is the same for every other address.",
    security(()),
    request_body = SignInRequest,
    responses((status = 200, description = "Asked for", body = SignInResponse))
)]
pub(crate) async fn handle(mut call: UnauthenticatedRequest) -> JsonResult<SignInResponse> {
    call.limit()?;
    let SignInRequest { email } = call.body::<SignInRequest>().await?.whole()?;
    sign_in(call.app(), &email).await?;
    Ok(Json(SignInResponse { sent: true }))
}

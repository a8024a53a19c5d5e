//! `POST /v0/agent/sign-in`

use actix_web::web::Json;
use inboxd_core::app::account::sign_in;
use serde::Serialize;
use utoipa::ToSchema;

use crate::auth::UnauthenticatedRequest;
use crate::body::request;
use crate::endpoints::JsonResult;

request! {
    /// Request for a sign-in code.
    pub(crate) struct SignInRequest {
        /// Email address that receives the six-digit code.
        #[schema(example = "owner@example.org")]
        email: String,
    }
}

/// Response that is the same for every address.
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
    summary = "Request sign-in code",
    description = "Mails a six-digit code to the address of a member or invited member of any organization. Other addresses receive no code and the same response.",
    security(()),
    request_body = SignInRequest,
    responses((status = 200, description = "Request accepted", body = SignInResponse))
)]
pub(crate) async fn handle(mut call: UnauthenticatedRequest) -> JsonResult<SignInResponse> {
    call.limit()?;
    let SignInRequest { email } = call.body::<SignInRequest>().await?.whole()?;
    sign_in(call.app(), &email).await?;
    Ok(Json(SignInResponse { sent: true }))
}

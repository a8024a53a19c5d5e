//! `POST /v0/agent/sign-in/verify`

use actix_web::web::Json;
use inboxd_core::app::account::{SignInProof, problems_of_proof, verify_sign_in};
use inboxd_core::{Error, Resource};

use crate::auth::UnauthenticatedRequest;
use crate::body::request;
use crate::endpoints::JsonResult;
use crate::error::ApiError;
use crate::views::SignedIn;

request! {
    /// Sign-in code that proves control of a mailbox.
    pub(crate) struct SignInProofRequest {
        /// Email address that received the code.
        #[schema(example = "owner@example.org")]
        email: String,
        /// Six digits.
        #[schema(example = "123456")]
        otp_code: String,
        /// Organization of the new key; by default the one that the address owns, else the most recently used one.
        organization_id: Option<String>,
    }
}

#[utoipa::path(
    post,
    path = "/v0/agent/sign-in/verify",
    operation_id = "verify_sign_in",
    tag = "Account",
    summary = "Verify sign-in code",
    description = "Creates an API key that acts as the member, with the role and inboxes of the member. All invitations of the address become memberships.",
    security(()),
    request_body = SignInProofRequest,
    responses(
        (status = 200, description = "Signed in", body = SignedIn),
        (status = 401, description = "The code is wrong")
    )
)]
pub(crate) async fn handle(mut call: UnauthenticatedRequest) -> JsonResult<SignedIn> {
    call.limit()?;
    let read = call.body::<SignInProofRequest>().await?;
    let client_address = Some(call.client());
    let read = read.map(|SignInProofRequest { email, otp_code, organization_id }| SignInProof {
        email,
        otp_code,
        organization_id,
        client_address,
    });
    let proof = read.checked(problems_of_proof)?;
    let signed_in = verify_sign_in(call.app(), proof).await.map_err(|refusal| match refusal {
        // Before the sign-in the caller has no key to list organizations with.
        Error::NotFound { resource: Resource::Organization, .. } => ApiError::from(refusal)
            .fix("leave `organization_id` out; GET /v0/auth/me with the returned key lists the organizations, and POST /v0/auth/switch creates a key in one of them"),
        refusal => refusal.into(),
    })?;
    Ok(Json(signed_in.into()))
}

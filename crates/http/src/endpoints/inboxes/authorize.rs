//! `POST /v0/inboxes/{inbox_id}/authorize`

use actix_web::HttpResponse;
use inboxd_core::app::apps;
use inboxd_core::model::permissions::InboxUpdate;
use inboxd_core::{AbsentFeature, Error};

use crate::authorized::Authorized;
use crate::body::request;
use crate::error::ApiError;

request! {
    /// Sign-in to authorize.
    #[expect(dead_code, reason = "every request is refused")]
    pub(crate) struct AuthorizeRequest {
        /// Token of the sign-in that waits.
        auth_token: String,
        /// Whether the app may learn who signs in.
        accept_disclosure: Option<bool>,
    }
}

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/authorize",
    operation_id = "authorize_inbox",
    tag = "Apps",
    summary = "Authorize inbox",
    description = "Refuses every sign-in of the inbox at an external app with `not_offered`: this service offers no apps.",
    request_body = AuthorizeRequest,
    responses((status = 200, description = "Never returned", body = Object))
)]
pub(crate) async fn handle(mut call: Authorized<InboxUpdate>) -> Result<HttpResponse, ApiError> {
    call.body::<AuthorizeRequest>().await?.whole()?;
    apps::check_scope(call.app(), &call.caller).await?;
    Err(Error::from(AbsentFeature::AppSignIn).into())
}

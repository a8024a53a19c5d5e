//! `POST /v0/apps/{app_id}/connect`

use actix_web::HttpResponse;
use inboxd_core::model::permissions::InboxUpdate;
use inboxd_core::{AbsentFeature, Error};

use crate::authorized::Authorized;
use crate::body::request;
use crate::error::ApiError;

request! {
    /// Sign-in of an inbox at an app.
    #[expect(dead_code, reason = "every request is refused")]
    pub(crate) struct ConnectAppRequest {
        /// Inbox to sign in.
        inbox_id: Option<String>,
        /// Whether the app may learn who signs in.
        accept_disclosure: Option<bool>,
    }
}

#[utoipa::path(
    post,
    path = "/v0/apps/{app_id}/connect",
    operation_id = "connect_app",
    tag = "Apps",
    summary = "Connect app",
    description = "Refuses every sign-in of an inbox at an external app with `not_offered`: this service offers no apps.",
    request_body = ConnectAppRequest,
    responses((status = 200, description = "Never returned", body = Object))
)]
pub(crate) async fn handle(mut call: Authorized<InboxUpdate>) -> Result<HttpResponse, ApiError> {
    call.body::<ConnectAppRequest>().await?.whole()?;
    Err(Error::from(AbsentFeature::AppSignIn).into())
}

//! `POST /v0/providers/{provider_id}/connect`

use actix_web::HttpResponse;
use inboxd_core::model::permissions::InboxUpdate;

use crate::authorized::Authorized;
use crate::endpoints::apps::connect::{self, ConnectAppRequest};
use crate::error::ApiError;

#[utoipa::path(
    post,
    path = "/v0/providers/{provider_id}/connect",
    operation_id = "connect_provider",
    tag = "Apps",
    summary = "Connect provider",
    description = "Refuses every sign-in of an inbox at an external app with `not_offered`: this service offers no apps. `providers` is the former name of `apps`.",
    request_body = ConnectAppRequest,
    responses((status = 200, description = "Never returned", body = Object))
)]
pub(crate) async fn handle(call: Authorized<InboxUpdate>) -> Result<HttpResponse, ApiError> {
    connect::handle(call).await
}

//! `GET /v0/apps/{app_id}`

use actix_web::HttpResponse;
use inboxd_core::model::permissions::InboxRead;
use inboxd_core::{Error, Resource};

use crate::authorized::Authorized;
use crate::error::ApiError;
use crate::path;

#[utoipa::path(
    get,
    path = "/v0/apps/{app_id}",
    operation_id = "get_app",
    tag = "Apps",
    summary = "Read app",
    description = "Refuses every id of an external app with `not_found`: this service offers no apps.",
    responses((status = 200, description = "Never returned", body = Object))
)]
pub(crate) async fn handle(call: Authorized<InboxRead>) -> Result<HttpResponse, ApiError> {
    let app_id = path::value(call.request(), "app_id");
    Err(Error::not_found(Resource::App, path::harmless(&app_id)).into())
}

//! `GET …/accounts/{account_id}`

use actix_web::HttpResponse;
use inboxd_core::app::apps;
use inboxd_core::model::permissions::InboxRead;
use inboxd_core::{Error, Resource};

use crate::authorized::Authorized;
use crate::error::ApiError;
use crate::path;

#[utoipa::path(
    get,
    path = "/v0/accounts/{account_id}",
    operation_id = "get_account",
    tag = "Apps",
    summary = "Read account",
    description = "Refuses every id with `not_found`: this service offers no external apps, so no inbox has an account at one.",
    responses((status = 200, description = "Never returned", body = Object))
)]
pub(crate) async fn handle(call: Authorized<InboxRead>) -> Result<HttpResponse, ApiError> {
    apps::check_scope(call.app(), &call.caller).await?;
    let account_id = path::value(call.request(), "account_id");
    Err(Error::not_found(Resource::Account, path::harmless(&account_id)).into())
}

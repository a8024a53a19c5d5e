//! `PATCH /v0/accounts/{account_id}/update`

use actix_web::HttpResponse;
use inboxd_core::model::permissions::InboxUpdate;
use inboxd_core::{Error, FieldError, Resource};
use utoipa::ToSchema;

use crate::authorized::Authorized;
use crate::body::request;
use crate::error::ApiError;
use crate::path;

request! {
    /// Change of an account.
    pub(crate) struct AccountChangeRequest {
        /// Whether the inbox may sign in at the app.
        #[schema(value_type = Option<AccountStatusWord>)]
        status: Option<String>,
    }
}

/// Whether an inbox may sign in at an app.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it only describes a field")]
pub(crate) enum AccountStatusWord {
    Enabled,
    Disabled,
}

#[utoipa::path(
    patch,
    path = "/v0/accounts/{account_id}/update",
    operation_id = "update_account",
    tag = "Apps",
    summary = "Update account",
    description = "Refuses every id with `not_found`: this service offers no external apps, so no inbox has an account at one.",
    request_body = AccountChangeRequest,
    responses((status = 200, description = "Never returned", body = Object))
)]
pub(crate) async fn handle(mut call: Authorized<InboxUpdate>) -> Result<HttpResponse, ApiError> {
    let read = call.body::<AccountChangeRequest>().await?;
    read.checked(|request| match request.status.as_deref() {
        None | Some("enabled" | "disabled") => Vec::new(),
        Some(_) => vec![FieldError::new("status", "must be enabled or disabled")],
    })?;
    let account_id = path::value(call.request(), "account_id");
    Err(Error::not_found(Resource::Account, path::harmless(&account_id)).into())
}

//! `PATCH …/api-keys/{api_key_id}`

use actix_web::web::Json;
use inboxd_core::FieldError;
use inboxd_core::app::api_keys::{self, KeyChange};
use inboxd_core::rules::access::ApiKeyChange;
use utoipa::openapi::schema::{Object, Type};

use crate::authorized::Authorized;
use crate::body::{DisplayName, PermissionMap, Timestamp, request};
use crate::endpoints::JsonResult;
use crate::views::ApiKeyView;

request! {
    /// Changes of an API key; absent fields keep their value.
    pub(crate) struct KeyChangeRequest {
        /// New display name.
        #[schema(value_type = Option<DisplayName>)]
        name: Option<String>,
        /// New permissions by name, which replace the previous map.
        permissions: Option<PermissionMap>,
        /// Cannot be changed; a value is refused.
        #[schema(schema_with = nothing)]
        expires_at: Option<Timestamp>,
    }
}

/// Returns the schema of a field that may only be null.
fn nothing() -> Object {
    Object::with_type(Type::Null)
}

#[utoipa::path(
    patch,
    path = "/v0/api-keys/{api_key_id}",
    operation_id = "update_api_key",
    tag = "API keys",
    summary = "Update API key",
    description = "Changes the name and the permissions of a key. The key may hold no permission that the caller lacks, before and after. `api_key_update` suffices as well.",
    request_body = KeyChangeRequest,
    responses((status = 200, description = "The key", body = ApiKeyView))
)]
pub(crate) async fn handle(mut call: Authorized<ApiKeyChange>) -> JsonResult<ApiKeyView> {
    let read = call.body::<KeyChangeRequest>().await?.map(|KeyChangeRequest { name, permissions, expires_at }| {
        (KeyChange { name, permissions: permissions.map(|map| map.0) }, expires_at)
    });
    let (change, _) = read.checked(|(change, expires_at)| {
        let expiry = expires_at
            .as_ref()
            .map(|_| FieldError::new("expires_at", "is set when a key is created and cannot be changed"));
        api_keys::problems_of_change(change).into_iter().chain(expiry).collect()
    })?;
    let key = api_keys::update(call.app(), &call.caller, call.api_key_id()?, change).await?;
    Ok(Json(ApiKeyView::new(key, call.app().clock.now())))
}

//! `PATCH /v0/api-keys/{api_key_id}`

use actix_web::web::Json;
use inboxd_core::FieldError;
use inboxd_core::app::api_keys::{self, KeyChange};
use inboxd_core::rules::access;
use utoipa::openapi::schema::{Object, Type};

use crate::auth::Authenticated;
use crate::body::{DisplayName, PermissionMap, Timestamp, request};
use crate::endpoints::Answer;
use crate::error::ApiError;
use crate::views::ApiKey;

request! {
    /// What to change; what is absent stays.
    pub(crate) struct KeyChangeRequest {
        /// The new name.
        #[schema(value_type = Option<DisplayName>)]
        name: Option<String>,
        /// The new map of permissions, in place of the old one.
        permissions: Option<PermissionMap>,
        /// Cannot be changed: it is refused.
        #[schema(schema_with = nothing)]
        expires_at: Option<Timestamp>,
    }
}

/// A field that may be null and nothing else.
fn nothing() -> Object {
    Object::with_type(Type::Null)
}

/// Reads the change that a call asks for, the same way whatever the reach of the key.
pub(crate) async fn key_change(call: &mut Authenticated) -> Result<KeyChange, ApiError> {
    let read = call.body::<KeyChangeRequest>().await?.map(|KeyChangeRequest { name, permissions, expires_at }| {
        (KeyChange { name, permissions: permissions.map(|map| map.0) }, expires_at)
    });
    let (change, _) = read.checked(|(change, expires_at)| {
        let expiry = expires_at
            .as_ref()
            .map(|_| FieldError::new("expires_at", "is fixed when a key is made and cannot be changed"));
        api_keys::problems_of_change(change).into_iter().chain(expiry).collect()
    })?;
    Ok(change)
}

#[utoipa::path(
    patch,
    path = "/v0/api-keys/{api_key_id}",
    operation_id = "update_api_key",
    tag = "API keys",
    summary = "Change an API key",
    description = "Changes the name and the permissions of a key within the caller's reach; the key may hold nothing that the caller lacks, and is given no more than the caller holds. `api_key_update` will do as well. Needs `api_key_create`.",
    params(("api_key_id" = String, Path, description = "The key")),
    request_body = KeyChangeRequest,
    responses((status = 200, description = "The key", body = ApiKey))
)]
pub(crate) async fn handle(mut call: Authenticated) -> Answer<ApiKey> {
    call.require(access::key_change_permission(&call.caller))?;
    let change = key_change(&mut call).await?;
    let key = api_keys::update(call.app(), &call.caller, None, call.api_key_id()?, change).await?;
    Ok(Json(ApiKey::new(key, call.app().clock.now())))
}

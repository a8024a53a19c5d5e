//! `PATCH /v0/api-keys/{api_key_id}`

use actix_web::web::Json;
use inboxd_core::Error;
use inboxd_core::app::api_keys::{self, KeyChange};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::body::{PermissionMap, Timestamp, request};
use crate::endpoints::Answer;
use crate::error::ApiError;
use crate::views::ApiKey;

request! {
    /// What to change; what is absent stays.
    pub(crate) struct KeyChangeRequest {
        /// The new name.
        name: Option<String>,
        /// The new map of permissions, in place of the old one.
        permissions: Option<PermissionMap>,
        /// Cannot be changed: it is refused.
        expires_at: Option<Timestamp>,
    }
}

impl KeyChangeRequest {
    /// The change, unless it would move the end of the key.
    pub(crate) fn checked(self) -> Result<KeyChange, ApiError> {
        if self.expires_at.is_some() {
            return Err(Error::invalid("expires_at", "is fixed when a key is made and cannot be changed").into());
        }
        Ok(KeyChange { name: self.name, permissions: self.permissions.map(|map| map.0) })
    }
}

#[utoipa::path(
    patch,
    path = "/v0/api-keys/{api_key_id}",
    operation_id = "update_api_key",
    tag = "API keys",
    summary = "Change an API key",
    description = "Changes the name and the permissions of a key within the caller's reach; it is given no more than the caller holds. Needs `api_key_create`.",
    params(("api_key_id" = String, Path, description = "The key")),
    request_body = KeyChangeRequest,
    responses((status = 200, description = "The key", body = ApiKey))
)]
pub(crate) async fn handle(mut call: Authenticated) -> Answer<ApiKey> {
    call.require(Permission::ApiKeyCreate)?;
    let change = call.body::<KeyChangeRequest>().await?.checked()?;
    let key = api_keys::update(call.app(), &call.caller, None, call.api_key_id()?, change).await?;
    Ok(Json(ApiKey::new(key, call.app().clock.now())))
}

//! `POST …/api-keys`

use actix_web::web::Json;
use inboxd_core::app::api_keys::{self, NewKey};
use inboxd_core::model::permissions::ApiKeyCreate;

use crate::authorized::Authorized;
use crate::body::{BearerType, ClientId, DisplayName, PermissionMap, Timestamp, request};
use crate::endpoints::JsonResult;
use crate::views::CreatedApiKey;

request! {
    /// API key to create.
    pub(crate) struct NewKeyRequest {
        /// Type of the key. The only type is `bearer`.
        r#type: Option<BearerType>,
        /// Display name.
        #[schema(value_type = Option<DisplayName>)]
        name: Option<String>,
        /// Permissions by name. Without a map the new key has the permissions of the key of the request.
        permissions: Option<PermissionMap>,
        /// Expiry time, not later than that of the key of the request.
        expires_at: Option<Timestamp>,
        /// Idempotency key: a repeat returns the key created before, without its plaintext.
        #[schema(value_type = Option<ClientId>)]
        client_id: Option<String>,
    }
    unsupported { public_key: "null" }
}

#[utoipa::path(
    post,
    path = "/v0/api-keys",
    operation_id = "create_api_key",
    tag = "API keys",
    summary = "Create API key",
    description = "Creates a key for the scope. Only this response contains its plaintext.",
    request_body = NewKeyRequest,
    responses((status = 200, description = "The key", body = CreatedApiKey))
)]
pub(crate) async fn handle(mut call: Authorized<ApiKeyCreate>) -> JsonResult<CreatedApiKey> {
    let read = call.body::<NewKeyRequest>().await?.map(
        |NewKeyRequest { r#type: _bearer, name, permissions, expires_at, client_id }| NewKey {
            name,
            permissions: permissions.map(|map| map.0),
            expires_at: expires_at.map(|time| time.0),
            client_id,
        },
    );
    let now = call.app().clock.now();
    let new = read.checked(|new| api_keys::problems_of_new(&call.caller, new, now))?;
    let made = api_keys::create(call.app(), &call.caller, new).await?;
    Ok(Json(CreatedApiKey::new(made, now)))
}

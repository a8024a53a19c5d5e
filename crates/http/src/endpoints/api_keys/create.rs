//! `POST /v0/api-keys`

use actix_web::web::Json;
use inboxd_core::app::api_keys::{self, NewKey};
use inboxd_core::model::{Caller, InboxId, Permission};

use crate::auth::Authenticated;
use crate::body::{BearerType, ClientId, DisplayName, PermissionMap, Timestamp, request};
use crate::endpoints::Answer;
use crate::error::ApiError;
use crate::views::CreatedApiKey;

request! {
    /// The key to make.
    pub(crate) struct NewKeyRequest {
        /// The type of the key: there is one.
        r#type: Option<BearerType>,
        /// A name for people.
        #[schema(value_type = Option<DisplayName>)]
        name: Option<String>,
        /// What it may do; without a map, whatever the key may do that makes it.
        permissions: Option<PermissionMap>,
        /// When it stops working; never later than the key that makes it.
        expires_at: Option<Timestamp>,
        /// An idempotency key: a repeat answers the key that it made before, without its plaintext.
        #[schema(value_type = Option<ClientId>)]
        client_id: Option<String>,
    }
    unsupported { public_key: "null" }
}

/// Reads the key that a call asks for, the same way whatever its reach.
pub(crate) async fn new_key(
    call: &mut Authenticated,
    caller: &Caller,
    inbox_id: Option<InboxId>,
) -> Result<NewKey, ApiError> {
    let read = call.body::<NewKeyRequest>().await?.map(
        |NewKeyRequest { r#type: _bearer, name, permissions, expires_at, client_id }| NewKey {
            name,
            permissions: permissions.map(|map| map.0),
            expires_at: expires_at.map(|time| time.0),
            inbox_id,
            client_id,
        },
    );
    let now = call.app().clock.now();
    Ok(read.checked(|new| api_keys::problems_of_new(caller, new, now))?)
}

#[utoipa::path(
    post,
    path = "/v0/api-keys",
    operation_id = "create_api_key",
    tag = "API keys",
    summary = "Make an API key",
    description = "Makes a key with the caller's own reach. Its plaintext is in this answer and nowhere else. Needs `api_key_create`.",
    request_body = NewKeyRequest,
    responses((status = 200, description = "The key", body = CreatedApiKey))
)]
pub(crate) async fn handle(mut call: Authenticated) -> Answer<CreatedApiKey> {
    call.require(Permission::ApiKeyCreate)?;
    let caller = call.caller.clone();
    let new = new_key(&mut call, &caller, None).await?;
    let made = api_keys::create(call.app(), &call.caller, new).await?;
    Ok(Json(CreatedApiKey::new(made, call.app().clock.now())))
}

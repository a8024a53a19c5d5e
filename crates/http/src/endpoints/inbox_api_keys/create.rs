//! `POST /v0/inboxes/{inbox_id}/api-keys`

use actix_web::web::Json;
use inboxd_core::app::api_keys;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::endpoints::api_keys::create::{NewKeyRequest, new_key};
use crate::views::CreatedApiKey;

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/api-keys",
    operation_id = "create_inbox_api_key",
    tag = "API keys",
    summary = "Make an API key of an inbox",
    description = "Makes a key that reaches this inbox alone. Its plaintext is in this answer and nowhere else. Needs `api_key_create`.",
    params(("inbox_id" = String, Path, description = "The inbox")),
    request_body = NewKeyRequest,
    responses((status = 200, description = "The key", body = CreatedApiKey))
)]
pub(crate) async fn handle(mut call: Authenticated) -> Answer<CreatedApiKey> {
    let inbox_id = call.inbox(Permission::ApiKeyCreate)?;
    let caller = call.caller.clone();
    let new = new_key(&mut call, &caller, Some(inbox_id)).await?;
    let made = api_keys::create(call.app(), &call.caller, new).await?;
    Ok(Json(CreatedApiKey::new(made, call.app().clock.now())))
}

//! `POST /v0/pods/{pod_id}/api-keys`

use actix_web::web::Json;
use inboxd_core::app::{api_keys, pods};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::endpoints::api_keys::create::{NewKeyRequest, new_key};
use crate::views::CreatedApiKey;

#[utoipa::path(
    post,
    path = "/v0/pods/{pod_id}/api-keys",
    operation_id = "create_pod_api_key",
    tag = "API keys",
    summary = "Make an API key of a pod",
    description = "Makes a key that reaches this pod alone. Its plaintext is in this answer and nowhere else. Needs `api_key_create`.",
    params(("pod_id" = String, Path, description = "The pod")),
    request_body = NewKeyRequest,
    responses((status = 200, description = "The key", body = CreatedApiKey))
)]
pub(crate) async fn handle(mut call: Authenticated) -> Answer<CreatedApiKey> {
    let pod_id = call.pod(Permission::ApiKeyCreate)?;
    let within = pods::enter(call.app(), &call.caller, pod_id).await?;
    let new = new_key(&mut call, &within, None).await?;
    let made = api_keys::create(call.app(), &within, new).await?;
    Ok(Json(CreatedApiKey::new(made, call.app().clock.now())))
}

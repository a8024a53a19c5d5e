//! `PATCH /v0/pods/{pod_id}/api-keys/{api_key_id}`

use actix_web::web::Json;
use inboxd_core::app::{api_keys, pods};
use inboxd_core::rules::access;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::endpoints::api_keys::update::{KeyChangeRequest, key_change};
use crate::views::ApiKey;

#[utoipa::path(
    patch,
    path = "/v0/pods/{pod_id}/api-keys/{api_key_id}",
    operation_id = "update_pod_api_key",
    tag = "API keys",
    summary = "Change an API key of a pod",
    description = "Changes the name and the permissions of a key. `api_key_update` will do as well. Needs `api_key_create`.",
    params(("pod_id" = String, Path, description = "The pod"), ("api_key_id" = String, Path, description = "The key")),
    request_body = KeyChangeRequest,
    responses((status = 200, description = "The key", body = ApiKey))
)]
pub(crate) async fn handle(mut call: Authenticated) -> Answer<ApiKey> {
    let pod_id = call.pod(access::key_change_permission(&call.caller))?;
    let change = key_change(&mut call).await?;
    let within = pods::enter(call.app(), &call.caller, pod_id).await?;
    let key = api_keys::update(call.app(), &within, None, call.api_key_id()?, change).await?;
    Ok(Json(ApiKey::new(key, call.app().clock.now())))
}

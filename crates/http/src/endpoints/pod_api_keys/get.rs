//! `GET /v0/pods/{pod_id}/api-keys/{api_key_id}`

use actix_web::web::Json;
use inboxd_core::app::{api_keys, pods};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::views::ApiKey;

#[utoipa::path(
    get,
    path = "/v0/pods/{pod_id}/api-keys/{api_key_id}",
    operation_id = "get_pod_api_key",
    tag = "API keys",
    summary = "Read an API key of a pod",
    description = "Needs `api_key_read`.",
    params(("pod_id" = String, Path, description = "The pod"), ("api_key_id" = String, Path, description = "The key")),
    responses((status = 200, description = "The key", body = ApiKey))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<ApiKey> {
    let pod_id = call.pod(Permission::ApiKeyRead)?;
    let within = pods::enter(call.app(), &call.caller, pod_id).await?;
    let key = api_keys::get(call.app(), &within, None, call.api_key_id()?).await?;
    Ok(Json(ApiKey::new(key, call.app().clock.now())))
}

//! `GET /v0/pods/{pod_id}/api-keys`

use actix_web::web::Json;
use inboxd_core::app::{api_keys, pods};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::endpoints::api_keys::KeyType;
use crate::query_docs::{KeyTypeParams, OrderParams, PageParams};
use crate::views::ApiKeyList;

#[utoipa::path(
    get,
    path = "/v0/pods/{pod_id}/api-keys",
    operation_id = "list_pod_api_keys",
    tag = "API keys",
    summary = "List the API keys of a pod",
    description = "Lists the keys that reach a pod or one of its inboxes and nothing beyond, newest first. Needs `api_key_read`.",
    params(("pod_id" = String, Path, description = "The pod"), KeyTypeParams, PageParams, OrderParams),
    responses((status = 200, description = "A page of keys", body = ApiKeyList))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<ApiKeyList> {
    let pod_id = call.pod(Permission::ApiKeyRead)?;
    let mut query = call.query();
    let asked = KeyType::asked(&mut query);
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let within = pods::enter(call.app(), &call.caller, pod_id).await?;
    let page = api_keys::list(call.app(), &within, None, paging.request.clone()).await?;
    Ok(Json(ApiKeyList::new(asked.of(page), &paging, call.app().clock.now())))
}

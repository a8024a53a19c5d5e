//! `GET /v0/inboxes/{inbox_id}/api-keys`

use actix_web::web::Json;
use inboxd_core::app::api_keys;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::endpoints::api_keys::KeyType;
use crate::query_docs::{KeyTypeParams, OrderParams, PageParams};
use crate::views::ApiKeyList;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/api-keys",
    operation_id = "list_inbox_api_keys",
    tag = "API keys",
    summary = "List the API keys of an inbox",
    description = "Lists the keys that reach exactly this inbox, newest first. Needs `api_key_read`.",
    params(("inbox_id" = String, Path, description = "The inbox"), KeyTypeParams, PageParams, OrderParams),
    responses((status = 200, description = "A page of keys", body = ApiKeyList))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<ApiKeyList> {
    let inbox_id = call.inbox(Permission::ApiKeyRead)?;
    let mut query = call.query();
    let asked = KeyType::asked(&mut query);
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let page = api_keys::list(call.app(), &call.caller, Some(&inbox_id), paging.request.clone()).await?;
    Ok(Json(ApiKeyList::new(asked.of(page), &paging, call.app().clock.now())))
}

//! `GET …/api-keys`

use actix_web::web::Json;
use inboxd_core::app::api_keys;
use inboxd_core::model::permissions::ApiKeyRead;

use super::{KeyType, KeyTypeParams};
use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::query::{OrderParams, PageParams};
use crate::views::ApiKeyList;

#[utoipa::path(
    get,
    path = "/v0/api-keys",
    operation_id = "list_api_keys",
    tag = "API keys",
    summary = "List API keys",
    description = "Lists the keys, newest first, without revoked keys.",
    params(KeyTypeParams, PageParams, OrderParams),
    responses((status = 200, description = "A page of keys", body = ApiKeyList))
)]
pub(crate) async fn handle(call: Authorized<ApiKeyRead>) -> JsonResult<ApiKeyList> {
    let mut query = call.query();
    let asked = KeyType::asked(&mut query);
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let page = api_keys::list(call.app(), &call.caller, paging.request.clone()).await?;
    Ok(Json(ApiKeyList::new(asked.of(page), &paging, call.app().clock.now())))
}

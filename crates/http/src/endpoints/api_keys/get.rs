//! `GET …/api-keys/{api_key_id}`

use actix_web::web::Json;
use inboxd_core::app::api_keys;
use inboxd_core::model::permissions::ApiKeyRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::views::ApiKeyView;

#[utoipa::path(
    get,
    path = "/v0/api-keys/{api_key_id}",
    operation_id = "get_api_key",
    tag = "API keys",
    summary = "Read API key",
    description = "Returns a key without its plaintext.",
    responses((status = 200, description = "The key", body = ApiKeyView))
)]
pub(crate) async fn handle(call: Authorized<ApiKeyRead>) -> JsonResult<ApiKeyView> {
    let key = api_keys::get(call.app(), &call.caller, call.api_key_id()?).await?;
    Ok(Json(ApiKeyView::new(key, call.app().clock.now())))
}

//! `GET /v0/api-keys/{api_key_id}`

use actix_web::web::Json;
use inboxd_core::app::api_keys;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::views::ApiKey;

#[utoipa::path(
    get,
    path = "/v0/api-keys/{api_key_id}",
    operation_id = "get_api_key",
    tag = "API keys",
    summary = "Read an API key",
    description = "Reads a key within the caller's reach. Needs `api_key_read`.",
    params(("api_key_id" = String, Path, description = "The key")),
    responses((status = 200, description = "The key", body = ApiKey))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<ApiKey> {
    call.require(Permission::ApiKeyRead)?;
    let key = api_keys::get(call.app(), &call.caller, None, call.api_key_id()?).await?;
    Ok(Json(ApiKey::new(key, call.app().clock.now())))
}

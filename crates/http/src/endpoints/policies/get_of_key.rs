//! `GET` `/v0/api-keys/{api_key_id}/policy`

use actix_web::web::Json;
use inboxd_core::app::policies::{self, PolicyName};
use inboxd_core::model::permissions::PolicyRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::views::PolicyView;

#[utoipa::path(
    get,
    path = "/v0/api-keys/{api_key_id}/policy",
    operation_id = "get_api_key_policy",
    tag = "Policies",
    summary = "Read API key policy",
    description = "Returns the policy of the API key. A policy decides which messages may leave, wait for a person or are refused. The response is 404 without a policy; those of the inbox, pod and organization still apply.",
    responses((status = 200, description = "The policy", body = PolicyView))
)]
pub(crate) async fn handle(call: Authorized<PolicyRead>) -> JsonResult<PolicyView> {
    let policy = policies::get(call.app(), &call.caller, PolicyName::ApiKey(call.api_key_id()?)).await?;
    Ok(Json(policy.into()))
}

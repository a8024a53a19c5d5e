//! `GET` `…/policy`

use actix_web::web::Json;
use inboxd_core::app::policies::{self, PolicyName};
use inboxd_core::model::permissions::PolicyRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::views::PolicyView;

#[utoipa::path(
    get,
    path = "/v0/policy",
    operation_id = "get_policy",
    tag = "Policies",
    summary = "Read policy",
    description = "Returns the policy of the organization, pod or inbox in the path. A policy decides which messages may leave, wait for a person or are refused. The response is 404 without a policy; those of the scopes above still apply.",
    responses((status = 200, description = "The policy", body = PolicyView))
)]
pub(crate) async fn handle(call: Authorized<PolicyRead>) -> JsonResult<PolicyView> {
    let policy = policies::get(call.app(), &call.caller, PolicyName::Scope).await?;
    Ok(Json(policy.into()))
}

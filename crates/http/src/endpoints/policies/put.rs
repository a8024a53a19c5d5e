//! `PUT` `…/policy`

use actix_web::web::Json;
use inboxd_core::app::policies::{self, PolicyName};
use inboxd_core::model::permissions::PolicyUpdate;

use crate::authorized::Authorized;
use crate::body::PolicyRequest;
use crate::endpoints::JsonResult;
use crate::views::PolicyView;

#[utoipa::path(
    put,
    path = "/v0/policy",
    operation_id = "put_policy",
    tag = "Policies",
    summary = "Store policy",
    description = "Stores the policy of the organization, pod or inbox in the path, in place of the former one; absent fields get their default. All policies that bind a message apply, and the strictest rule decides. Only a person may do this.",
    request_body = PolicyRequest,
    responses((status = 200, description = "The policy", body = PolicyView))
)]
pub(crate) async fn handle(mut call: Authorized<PolicyUpdate>) -> JsonResult<PolicyView> {
    let read = call.body::<PolicyRequest>().await?.map(PolicyRequest::into_rules);
    let (rules, _) = read.checked(|(_, problems)| problems.clone())?;
    let policy = policies::put(call.app(), &call.caller, PolicyName::Scope, rules).await?;
    Ok(Json(policy.into()))
}

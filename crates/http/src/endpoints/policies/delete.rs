//! `DELETE` `…/policy`

use inboxd_core::app::policies::{self, PolicyName};
use inboxd_core::model::permissions::PolicyUpdate;

use crate::authorized::Authorized;
use crate::endpoints::{NoContent, no_content};

#[utoipa::path(
    delete,
    path = "/v0/policy",
    operation_id = "delete_policy",
    tag = "Policies",
    summary = "Delete policy",
    description = "Deletes the policy of the organization, pod or inbox in the path. Those of other scopes still apply. Only a person may do this.",
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn handle(call: Authorized<PolicyUpdate>) -> NoContent {
    policies::delete(call.app(), &call.caller, PolicyName::Scope).await?;
    Ok(no_content())
}

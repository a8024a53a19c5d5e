//! `DELETE` `/v0/api-keys/{api_key_id}/policy`

use inboxd_core::app::policies::{self, PolicyName};
use inboxd_core::model::permissions::PolicyUpdate;

use crate::authorized::Authorized;
use crate::endpoints::{NoContent, no_content};

#[utoipa::path(
    delete,
    path = "/v0/api-keys/{api_key_id}/policy",
    operation_id = "delete_api_key_policy",
    tag = "Policies",
    summary = "Delete API key policy",
    description = "Deletes the policy of the API key. Those of the inbox, pod and organization still apply. Only a person may do this.",
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn handle(call: Authorized<PolicyUpdate>) -> NoContent {
    policies::delete(call.app(), &call.caller, PolicyName::ApiKey(call.api_key_id()?)).await?;
    Ok(no_content())
}

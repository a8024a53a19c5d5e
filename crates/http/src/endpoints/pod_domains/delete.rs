//! `DELETE /v0/pods/{pod_id}/domains/{domain_id}`

use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::{Gone, domains};

#[utoipa::path(
    delete,
    path = "/v0/pods/{pod_id}/domains/{domain_id}",
    operation_id = "delete_pod_domain",
    tag = "Domains",
    summary = "Delete a domain of a pod",
    description = "Deletes a domain and its signing key. Refused with 409 `cannot_delete` while it has live inboxes. Needs `domain_delete`.",
    params(("pod_id" = String, Path, description = "The pod"), ("domain_id" = String, Path, description = "The domain")),
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn handle(call: Authenticated) -> Gone {
    domains::delete::handle(call.within_pod(Permission::DomainDelete).await?).await
}

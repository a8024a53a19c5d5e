//! `GET /v0/pods/{pod_id}/domains/{domain_id}`

use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::{Answer, domains};
use crate::views::Domain;

#[utoipa::path(
    get,
    path = "/v0/pods/{pod_id}/domains/{domain_id}",
    operation_id = "get_pod_domain",
    tag = "Domains",
    summary = "Read a domain of a pod",
    description = "Needs `domain_read`.",
    params(("pod_id" = String, Path, description = "The pod"), ("domain_id" = String, Path, description = "The domain")),
    responses((status = 200, description = "The domain", body = Domain))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<Domain> {
    domains::get::handle(call.within_pod(Permission::DomainRead).await?).await
}

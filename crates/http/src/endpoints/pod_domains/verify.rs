//! `POST /v0/pods/{pod_id}/domains/{domain_id}/verify`

use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::{Answer, domains};
use crate::views::Domain;

#[utoipa::path(
    post,
    path = "/v0/pods/{pod_id}/domains/{domain_id}/verify",
    operation_id = "verify_pod_domain",
    tag = "Domains",
    summary = "Verify a domain of a pod",
    description = "Looks every record of the domain up in DNS now, and answers what was found. Needs `domain_update`.",
    params(("pod_id" = String, Path, description = "The pod"), ("domain_id" = String, Path, description = "The domain")),
    responses((status = 200, description = "The domain", body = Domain))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<Domain> {
    domains::verify::handle(call.within_pod(Permission::DomainUpdate).await?).await
}

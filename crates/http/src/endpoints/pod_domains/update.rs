//! `PATCH /v0/pods/{pod_id}/domains/{domain_id}`

use actix_web::web::Json;
use inboxd_core::app::{domains, pods};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::endpoints::domains::update::{DomainChangeRequest, domain_change};
use crate::views::Domain;

#[utoipa::path(
    patch,
    path = "/v0/pods/{pod_id}/domains/{domain_id}",
    operation_id = "update_pod_domain",
    tag = "Domains",
    summary = "Change a domain of a pod",
    description = "Changes what a domain is used for; its name never changes. Needs `domain_update`.",
    params(("pod_id" = String, Path, description = "The pod"), ("domain_id" = String, Path, description = "The domain")),
    request_body = DomainChangeRequest,
    responses((status = 200, description = "The domain", body = Domain))
)]
pub(crate) async fn handle(mut call: Authenticated) -> Answer<Domain> {
    let pod_id = call.pod(Permission::DomainUpdate)?;
    let change = domain_change(&mut call).await?;
    let within = pods::enter(call.app(), &call.caller, pod_id).await?;
    Ok(Json(domains::update(call.app(), &within, call.domain_id()?, change).await?.into()))
}

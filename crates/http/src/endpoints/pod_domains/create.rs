//! `POST /v0/pods/{pod_id}/domains`

use actix_web::web::Json;
use inboxd_core::app::{domains, pods};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::endpoints::domains::create::{NewDomainRequest, new_domain};
use crate::views::Domain;

#[utoipa::path(
    post,
    path = "/v0/pods/{pod_id}/domains",
    operation_id = "create_pod_domain",
    tag = "Domains",
    summary = "Add a domain to a pod",
    description = "Adds a domain with a signing key of its own to a pod, or answers the one that the same `client_id` made before. Needs `domain_create`.",
    params(("pod_id" = String, Path, description = "The pod")),
    request_body = NewDomainRequest,
    responses((status = 200, description = "The domain", body = Domain))
)]
pub(crate) async fn handle(mut call: Authenticated) -> Answer<Domain> {
    let pod_id = call.pod(Permission::DomainCreate)?;
    let new = new_domain(&mut call).await?;
    let within = pods::enter(call.app(), &call.caller, pod_id).await?;
    Ok(Json(domains::create(call.app(), &within, new).await?.into()))
}

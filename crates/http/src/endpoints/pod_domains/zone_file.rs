//! `GET /v0/pods/{pod_id}/domains/{domain_id}/zone-file`

use actix_web::HttpResponse;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::domains;
use crate::error::ApiError;

#[utoipa::path(
    get,
    path = "/v0/pods/{pod_id}/domains/{domain_id}/zone-file",
    operation_id = "get_pod_domain_zone_file",
    tag = "Domains",
    summary = "Read the zone file of a domain of a pod",
    description = "The records of the domain as a zone file, in the words of BIND. Needs `domain_read`.",
    params(("pod_id" = String, Path, description = "The pod"), ("domain_id" = String, Path, description = "The domain")),
    responses((status = 200, description = "The zone file", body = String, content_type = "text/dns"))
)]
pub(crate) async fn handle(call: Authenticated) -> Result<HttpResponse, ApiError> {
    domains::zone_file::handle(call.within_pod(Permission::DomainRead).await?).await
}

//! `GET /v0/domains/{domain_id}/setup-link`

use actix_web::web::Json;
use inboxd_core::app::domains;
use inboxd_core::model::permissions::DomainRead;
use serde::Serialize;
use utoipa::ToSchema;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;

/// One-click setup of the records of a domain.
#[derive(Serialize, ToSchema)]
pub(crate) struct DomainSetupLink {
    /// Whether there is a link: no. The `records` of the domain, or its zone file, are added by hand.
    supported: bool,
}

#[utoipa::path(
    get,
    path = "/v0/domains/{domain_id}/setup-link",
    operation_id = "get_domain_setup_link",
    tag = "Domains",
    summary = "Read domain setup link",
    description = "Says that there is no one-click setup: a DNS provider offers it only for services whose template it carries. Add the `records` of the domain by hand; GET …/zone-file has them in one file.",
    responses((status = 200, description = "No link", body = DomainSetupLink))
)]
pub(crate) async fn handle(call: Authorized<DomainRead>) -> JsonResult<DomainSetupLink> {
    domains::get(call.app(), &call.caller, call.domain_id()?).await?;
    Ok(Json(DomainSetupLink { supported: false }))
}

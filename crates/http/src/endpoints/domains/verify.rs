//! `POST …/domains/{domain_id}/verify`

use actix_web::web::Json;
use inboxd_core::app::domains;
use inboxd_core::model::permissions::DomainUpdate;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::views::DomainView;

#[utoipa::path(
    post,
    path = "/v0/domains/{domain_id}/verify",
    operation_id = "verify_domain",
    tag = "Domains",
    summary = "Verify domain",
    description = "Queries all DNS records of the domain now and returns the result.",
    responses((status = 200, description = "The domain", body = DomainView))
)]
pub(crate) async fn handle(call: Authorized<DomainUpdate>) -> JsonResult<DomainView> {
    Ok(Json(domains::verify(call.app(), &call.caller, call.domain_id()?).await?.into()))
}

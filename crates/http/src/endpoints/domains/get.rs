//! `GET …/domains/{domain_id}`

use actix_web::web::Json;
use inboxd_core::app::domains;
use inboxd_core::model::permissions::DomainRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::views::DomainView;

#[utoipa::path(
    get,
    path = "/v0/domains/{domain_id}",
    operation_id = "get_domain",
    tag = "Domains",
    summary = "Read domain",
    responses((status = 200, description = "The domain", body = DomainView))
)]
pub(crate) async fn handle(call: Authorized<DomainRead>) -> JsonResult<DomainView> {
    Ok(Json(domains::get(call.app(), &call.caller, call.domain_id()?).await?.into()))
}

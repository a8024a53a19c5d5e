//! `GET …/domains/{domain_id}/zone-file`

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_DISPOSITION;
use inboxd_core::app::domains;
use inboxd_core::model::permissions::DomainRead;

use crate::authorized::Authorized;
use crate::error::ApiError;

#[utoipa::path(
    get,
    path = "/v0/domains/{domain_id}/zone-file",
    operation_id = "get_domain_zone_file",
    tag = "Domains",
    summary = "Read domain zone file",
    description = "Returns the records of the domain as a zone file in BIND syntax.",
    responses((status = 200, description = "The zone file", body = String, content_type = "text/dns"))
)]
pub(crate) async fn handle(call: Authorized<DomainRead>) -> Result<HttpResponse, ApiError> {
    let file = domains::zone_file(call.app(), &call.caller, call.domain_id()?).await?;
    // A domain name contains no character that needs quotes.
    Ok(HttpResponse::Ok()
        .content_type("text/dns; charset=utf-8")
        .insert_header((CONTENT_DISPOSITION, format!("attachment; filename=\"{}.zone\"", file.domain)))
        .body(file.text))
}

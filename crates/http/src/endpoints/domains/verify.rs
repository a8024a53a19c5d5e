//! `POST /v0/domains/{domain_id}/verify`

use actix_web::web::Json;
use inboxd_core::app::domains;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::views::Domain;

#[utoipa::path(
    post,
    path = "/v0/domains/{domain_id}/verify",
    operation_id = "verify_domain",
    tag = "Domains",
    summary = "Verify a domain",
    description = "Looks every record of the domain up in DNS now, and answers what was found. Needs `domain_update`.",
    params(("domain_id" = String, Path, description = "The domain")),
    responses((status = 200, description = "The domain", body = Domain))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<Domain> {
    call.require(Permission::DomainUpdate)?;
    Ok(Json(domains::verify(call.app(), &call.caller, call.domain_id()?).await?.into()))
}

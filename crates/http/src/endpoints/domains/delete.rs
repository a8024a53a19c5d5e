//! `DELETE …/domains/{domain_id}`

use inboxd_core::app::domains;
use inboxd_core::model::permissions::DomainDelete;

use crate::authorized::Authorized;
use crate::endpoints::{NoContent, no_content};

#[utoipa::path(
    delete,
    path = "/v0/domains/{domain_id}",
    operation_id = "delete_domain",
    tag = "Domains",
    summary = "Delete domain",
    description = "Deletes a domain and its signing key. Refused with 409 `cannot_delete` while it has live inboxes.",
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn handle(call: Authorized<DomainDelete>) -> NoContent {
    domains::delete(call.app(), &call.caller, call.domain_id()?).await?;
    Ok(no_content())
}

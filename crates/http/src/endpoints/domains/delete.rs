//! `DELETE /v0/domains/{domain_id}`

use inboxd_core::app::domains;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::{Gone, gone};

#[utoipa::path(
    delete,
    path = "/v0/domains/{domain_id}",
    operation_id = "delete_domain",
    tag = "Domains",
    summary = "Delete a domain",
    description = "Deletes a domain and its signing key. Refused with 409 `cannot_delete` while it has live inboxes. Needs `domain_delete`.",
    params(("domain_id" = String, Path, description = "The domain")),
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn handle(call: Authenticated) -> Gone {
    call.require(Permission::DomainDelete)?;
    domains::delete(call.app(), &call.caller, call.domain_id()?).await?;
    Ok(gone())
}

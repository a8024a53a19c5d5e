//! `PATCH …/domains/{domain_id}`

use actix_web::web::Json;
use inboxd_core::app::domains::{self, DomainChange};
use inboxd_core::model::permissions::DomainUpdate;

use crate::authorized::Authorized;
use crate::body::{Nullable, request};
use crate::endpoints::JsonResult;
use crate::path;
use crate::views::DomainView;

request! {
    /// Changes of a domain; absent fields keep their value.
    pub(crate) struct DomainChangeRequest {
        /// Stored preference for reports of bounces and complaints about mail of the domain.
        feedback_enabled: Option<bool>,
        /// Whether inboxes can be created on subdomains. This needs one more DNS record; a verified domain is `PENDING`
        /// until that record is found.
        subdomains_enabled: Option<bool>,
        /// Whether this server receives mail for the domain. This needs MX records; a verified domain is `PENDING`
        /// until they are found.
        inbound_enabled: Option<bool>,
        /// Inbox that receives mail for addresses of the domain without an inbox; null for none.
        #[schema(value_type = Option<String>)]
        catch_all_inbox_id: Nullable<String>,
    }
    unsupported { tracking_enabled: "false" }
}

#[utoipa::path(
    patch,
    path = "/v0/domains/{domain_id}",
    operation_id = "update_domain",
    tag = "Domains",
    summary = "Update domain",
    description = "Changes the settings of a domain. The name cannot be changed.",
    request_body = DomainChangeRequest,
    responses((status = 200, description = "The domain", body = DomainView))
)]
pub(crate) async fn handle(mut call: Authorized<DomainUpdate>) -> JsonResult<DomainView> {
    let DomainChangeRequest { feedback_enabled, subdomains_enabled, inbound_enabled, catch_all_inbox_id } =
        call.body::<DomainChangeRequest>().await?.whole()?;
    let catch_all_inbox_id = catch_all_inbox_id.sent().map(|text| text.map(|text| path::inbox_id(&text)));
    let change = DomainChange { feedback_enabled, subdomains_enabled, inbound_enabled, catch_all_inbox_id };
    Ok(Json(domains::update(call.app(), &call.caller, call.domain_id()?, change).await?.into()))
}

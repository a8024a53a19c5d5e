//! `PATCH /v0/domains/{domain_id}`

use actix_web::web::Json;
use inboxd_core::app::domains::{self, DomainChange};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::body::{Nullable, request};
use crate::endpoints::Answer;
use crate::error::ApiError;
use crate::path;
use crate::views::Domain;

request! {
    /// What to change; what is absent stays.
    pub(crate) struct DomainChangeRequest {
        /// Whether bounces and complaints about its mail are wanted.
        feedback_enabled: Option<bool>,
        /// Whether inboxes may be made on its subdomains. It takes one record more: a verified domain is `PENDING` until
        /// that one is found.
        subdomains_enabled: Option<bool>,
        /// Whether mail for it is taken here. It takes MX records: a verified domain is `PENDING` until they are found.
        inbound_enabled: Option<bool>,
        /// The inbox that takes mail for names at the domain that are no inbox; null for none.
        #[schema(value_type = Option<String>)]
        catch_all_inbox_id: Nullable<String>,
    }
    unsupported { tracking_enabled: "false" }
}

/// Reads the change that a call asks for, the same way whoever the domain belongs to.
pub(in crate::endpoints) async fn domain_change(call: &mut Authenticated) -> Result<DomainChange, ApiError> {
    let DomainChangeRequest { feedback_enabled, subdomains_enabled, inbound_enabled, catch_all_inbox_id } =
        call.body::<DomainChangeRequest>().await?.whole()?;
    let catch_all_inbox_id = match catch_all_inbox_id {
        Nullable::Absent => None,
        Nullable::Null => Some(None),
        Nullable::Value(text) => Some(Some(path::inbox_id(&text))),
    };
    Ok(DomainChange { feedback_enabled, subdomains_enabled, inbound_enabled, catch_all_inbox_id })
}

#[utoipa::path(
    patch,
    path = "/v0/domains/{domain_id}",
    operation_id = "update_domain",
    tag = "Domains",
    summary = "Change a domain",
    description = "Changes what a domain is used for; its name never changes. Needs `domain_update`.",
    params(("domain_id" = String, Path, description = "The domain")),
    request_body = DomainChangeRequest,
    responses((status = 200, description = "The domain", body = Domain))
)]
pub(crate) async fn handle(mut call: Authenticated) -> Answer<Domain> {
    call.require(Permission::DomainUpdate)?;
    let change = domain_change(&mut call).await?;
    Ok(Json(domains::update(call.app(), &call.caller, call.domain_id()?, change).await?.into()))
}

//! `POST …/domains`

use actix_web::web::Json;
use inboxd_core::app::domains::{self, NewDomain};
use inboxd_core::model::permissions::DomainCreate;

use crate::authorized::Authorized;
use crate::body::{ClientId, request};
use crate::endpoints::JsonResult;
use crate::path;
use crate::views::DomainView;

request! {
    /// Domain to add.
    pub(crate) struct NewDomainRequest {
        /// Domain name. Internationalized names are stored in their ASCII form.
        #[schema(example = "example.org")]
        domain: String,
        /// Pod that the domain belongs to; by default the whole organization.
        pod_id: Option<String>,
        /// Idempotency key: a repeat returns the domain created before.
        #[schema(value_type = Option<ClientId>)]
        client_id: Option<String>,
        /// Stored preference for reports of bounces and complaints about mail of the domain. The default is true.
        feedback_enabled: Option<bool>,
        /// Whether inboxes can be created on subdomains. The default is false.
        subdomains_enabled: Option<bool>,
        /// Whether this server receives mail for the domain. The default is true; if false, no MX record is needed.
        inbound_enabled: Option<bool>,
        /// Inbox that receives mail for addresses of the domain without an inbox.
        catch_all_inbox_id: Option<String>,
    }
    unsupported { tracking_enabled: "false", allow_conflicting_provider: "false" }
}

impl From<NewDomainRequest> for NewDomain {
    fn from(request: NewDomainRequest) -> Self {
        let NewDomainRequest {
            domain,
            pod_id,
            client_id,
            feedback_enabled,
            subdomains_enabled,
            inbound_enabled,
            catch_all_inbox_id,
        } = request;
        let (feedback_enabled, subdomains_enabled) =
            (feedback_enabled.unwrap_or(true), subdomains_enabled.unwrap_or(false));
        let inbound_enabled = inbound_enabled.unwrap_or(true);
        let catch_all_inbox_id = catch_all_inbox_id.map(|text| path::inbox_id(&text));
        Self { domain, pod_id, client_id, feedback_enabled, subdomains_enabled, inbound_enabled, catch_all_inbox_id }
    }
}

#[utoipa::path(
    post,
    path = "/v0/domains",
    operation_id = "create_domain",
    tag = "Domains",
    summary = "Add domain",
    description = "Adds a domain with its own signing key, or returns the one that the same `client_id` created before. Publish its `records`, then verify it.",
    request_body = NewDomainRequest,
    responses((status = 200, description = "The domain", body = DomainView))
)]
pub(crate) async fn handle(mut call: Authorized<DomainCreate>) -> JsonResult<DomainView> {
    let read = call.body::<NewDomainRequest>().await?.map(NewDomain::from);
    let new = read.checked(|new| domains::problems_of_new(call.app(), new))?;
    Ok(Json(domains::create(call.app(), &call.caller, new).await?.into()))
}

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
    /// The domain to add.
    pub(crate) struct NewDomainRequest {
        /// Its name; internationalized ones are stored in their ASCII form.
        #[schema(example = "example.org")]
        domain: String,
        /// The one pod that it is to belong to; the whole organization where it is absent.
        pod_id: Option<String>,
        /// An idempotency key: the same one answers the domain that it made before.
        #[schema(value_type = Option<ClientId>)]
        client_id: Option<String>,
        /// Whether bounces and complaints about its mail are wanted; true where it is absent.
        feedback_enabled: Option<bool>,
        /// Whether inboxes may be made on its subdomains; false where it is absent.
        subdomains_enabled: Option<bool>,
        /// Whether mail for it is taken here; true where it is absent. Where it is not, no MX record is needed.
        inbound_enabled: Option<bool>,
        /// The inbox that takes mail for names at the domain that are no inbox.
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
    description = "Adds a domain with a signing key of its own, or returns the one that the same `client_id` created before. Publish its `records`, then verify it.",
    request_body = NewDomainRequest,
    responses((status = 200, description = "The domain", body = DomainView))
)]
pub(crate) async fn handle(mut call: Authorized<DomainCreate>) -> JsonResult<DomainView> {
    let read = call.body::<NewDomainRequest>().await?.map(NewDomain::from);
    let new = read.checked(|new| domains::problems_of_new(call.app(), new))?;
    Ok(Json(domains::create(call.app(), &call.caller, new).await?.into()))
}

//! Tools of domains.

use futures_util::FutureExt;
use inboxd_core::Resource;
use inboxd_core::app::domains::{self, NewDomain};
use inboxd_core::model::permissions::{DomainCreate, DomainRead, DomainUpdate};
use inboxd_core::model::{Direction, Domain};

use super::page::{ListedField, read_page};
use super::query::{QueryArguments, query_arguments};
use crate::body::request;
use crate::endpoints::domains::create::NewDomainRequest;
use crate::mcp::arguments::require_valid;
use crate::mcp::call::parse_id;
use crate::mcp::results::{Output, shape_fields};
use crate::mcp::tool::{ToolCall, ToolReply, ToolResult};
use crate::views::DomainView;

query_arguments! {
    /// A page of domains.
    DomainPage [] {
        #[schema(minimum = 1, maximum = 200, default = 10)]
        limit: Option<u32>,
        page_token: Option<String>,
    }
}

request! {
    /// The domain to add.
    pub(crate) struct DomainToCreate {
        domain: String,
        /// Pod that the domain is limited to.
        pod_id: Option<String>,
        /// Idempotency key: a repeat returns the same domain.
        client_id: Option<String>,
        /// Whether bounces and complaints are reported; true if absent.
        feedback_enabled: Option<bool>,
        /// Whether inboxes may use subdomains.
        subdomains_enabled: Option<bool>,
        /// Whether mail is received; true if absent.
        inbound_enabled: Option<bool>,
        /// Catch-all: inbox for mail to names that never were an inbox.
        catch_all_inbox_id: Option<String>,
    }
}

request! {
    /// A domain.
    pub(crate) struct NamedDomain {
        domain_id: String,
    }
}

pub(super) async fn list_domains(call: ToolCall<QueryArguments<DomainPage>>) -> ToolResult {
    let caller = call.authorize_all::<DomainRead>()?;
    let paging = call.paging(call.input.limit, call.input.page_token(), Direction::Descending)?;
    let list = ListedField { tool: "list_domains", field: "domains", arguments: &call.input };
    let read = |page| domains::list(call.app(), &caller, page).boxed();
    Ok(read_page(list, &paging, Output::new, read, |domain| shape_fields(&DomainView::from(domain))).await?.into())
}

pub(super) async fn create_domain(call: ToolCall<DomainToCreate>) -> ToolResult {
    let caller = call.authorize_all::<DomainCreate>()?;
    let app = call.app().clone();
    let DomainToCreate {
        domain,
        pod_id,
        client_id,
        feedback_enabled,
        subdomains_enabled,
        inbound_enabled,
        catch_all_inbox_id,
    } = call.input;
    let new = NewDomain::from(NewDomainRequest {
        domain,
        pod_id,
        client_id,
        feedback_enabled,
        subdomains_enabled,
        inbound_enabled,
        catch_all_inbox_id,
    });
    require_valid(domains::problems_of_new(&app, &new))?;
    Ok(shown(domains::create(&app, &caller, new).await?))
}

pub(super) async fn verify_domain(call: ToolCall<NamedDomain>) -> ToolResult {
    let caller = call.authorize_all::<DomainUpdate>()?;
    let domain_id = parse_id(&call.input.domain_id, Resource::Domain)?;
    Ok(shown(domains::verify(call.app(), &caller, domain_id).await?))
}

fn shown(domain: Domain) -> ToolReply {
    Output::new(shape_fields(&DomainView::from(domain))).into()
}

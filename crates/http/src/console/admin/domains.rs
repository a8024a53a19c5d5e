//! `/console/domains`

use askama::Template;
use inboxd_core::app::domains::{self, NewDomain};
use inboxd_core::model::permissions::{DomainCreate, DomainRead};
use inboxd_core::model::{Domain, DomainStatus, Permission, Scope};

use crate::console::call::{ConsoleCall, PageResult};
use crate::console::choices::{Choice, pod_choices};
use crate::console::frame::{Frame, Section};
use crate::console::links;
use crate::console::problem::{Problem, render_form};
use crate::console::time::Moment;
use crate::error::ApiError;

const PATH: &str = "/console/domains";

#[derive(Template)]
#[template(path = "console/domains.html")]
struct DomainsPage<'a> {
    frame: Frame,
    problem: Option<&'a Problem>,
    domains: Vec<DomainRow>,
    older: Option<String>,
    may_create: bool,
    domain: &'a str,
    pods: Vec<Choice>,
}

struct DomainRow {
    id: String,
    name: String,
    state: DomainState,
    pod: Option<String>,
    created: Moment,
}

/// State of a domain in words.
pub(super) struct DomainState {
    pub(super) text: &'static str,
    /// Class of the badge.
    pub(super) class: &'static str,
    /// The next step.
    pub(super) step: &'static str,
}

impl DomainState {
    pub(super) fn of(status: DomainStatus) -> Self {
        let (text, class, step) = match status {
            DomainStatus::NotStarted => {
                ("not checked yet", "", "Publish the records at your DNS provider, then verify.")
            }
            DomainStatus::Pending => ("records missing", "warn", "Publish the missing records, then verify again."),
            DomainStatus::Verifying => ("no answer", "warn", "Some name servers did not answer. Verify again later."),
            DomainStatus::Verified => ("verified", "good", "Inboxes of this domain can send and receive."),
            DomainStatus::Invalid => ("records wrong", "bad", "Replace the wrong records, then verify again."),
            DomainStatus::Failed => {
                ("given up", "bad", "Records were missing for days. Publish them, then verify again.")
            }
        };
        Self { text, class, step }
    }
}

/// Shows the domains and the form for a new one.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    page(call, None).await
}

/// Adds a domain and leads to its records.
pub(super) async fn create(call: &ConsoleCall) -> PageResult {
    match make(call).await {
        Ok(domain) => Ok(call.redirect(&format!("{PATH}/{}?notice=created", domain.domain_id))),
        Err(error) => page(call, Some(&Problem::of(error)?)).await,
    }
}

async fn make(call: &ConsoleCall) -> Result<Domain, ApiError> {
    let caller = call.authorize::<DomainCreate>(Scope::Organization)?;
    let new = NewDomain {
        domain: call.form.one("domain").unwrap_or_default().trim().to_owned(),
        pod_id: call.form.one("pod_id").map(ToOwned::to_owned),
        client_id: None,
        feedback_enabled: true,
        subdomains_enabled: call.form.one("subdomains_enabled").is_some(),
        inbound_enabled: true,
        catch_all_inbox_id: None,
    };
    Ok(domains::create(call.app(), &caller, new).await?)
}

async fn page(call: &ConsoleCall, problem: Option<&Problem>) -> PageResult {
    let caller = call.authorize::<DomainRead>(Scope::Organization)?;
    let mut query = call.query();
    let direction = query.direction();
    let paging = query.page(call, direction)?;
    let found = domains::list(call.app(), &caller, paging.request.clone()).await?;
    let older = paging.next(found.next.as_ref()).map(|token| links::with_query(PATH, &[("page_token", &token)]));
    let rows = found.items.into_iter().map(|domain| DomainRow {
        id: domain.domain_id.to_string(),
        name: domain.name.to_string(),
        state: DomainState::of(domain.status),
        pod: domain.pod_id.map(|pod_id| pod_id.to_string()),
        created: Moment(domain.created_at),
    });
    let may_create = call.may(Permission::DomainCreate);
    let chosen = call.form.one("pod_id").unwrap_or_default();
    let template = DomainsPage {
        frame: call.frame(Section::Domains, "Domains"),
        problem,
        domains: rows.collect(),
        older,
        may_create,
        domain: call.form.one("domain").unwrap_or_default(),
        pods: if may_create { pod_choices(call, |pod| pod == chosen).await? } else { Vec::new() },
    };
    render_form(call, problem, &template)
}

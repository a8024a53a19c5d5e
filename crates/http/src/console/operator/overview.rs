//! `/console/operator`: health, queue, destinations and organizations.

use askama::Template;
use inboxd_core::model::{Organization, OrganizationId};

use super::require_operator;
use crate::console::call::{ConsoleCall, PageResult};
use crate::console::frame::{Frame, Section};
use crate::console::links;
use crate::console::text::shown;
use crate::console::time::Moment;

const PATH: &str = "/console/operator";
/// Organizations of a page.
const PAGE: u32 = 100;
/// Destinations of the page.
const DESTINATIONS: u32 = 20;

#[derive(Template)]
#[template(path = "console/operator.html")]
struct OperatorPage {
    frame: Frame,
    is_database_ready: bool,
    has_space: bool,
    messages: u64,
    held: u64,
    deferred: u64,
    oldest: Option<Moment>,
    destinations: Vec<DestinationRow>,
    organizations: Vec<OrganizationRow>,
    next: Option<String>,
}

struct DestinationRow {
    destination: String,
    deferred: u64,
    most_attempts: u32,
    oldest: Moment,
    next: Moment,
    reason: String,
}

struct OrganizationRow {
    id: String,
    owner: String,
    plan: &'static str,
    is_verified: bool,
    is_suspended: bool,
    created: Moment,
}

/// Shows the state of the server.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    require_operator(call)?;
    let store = &call.app().store;
    let after: Option<OrganizationId> = call.query.one("after").and_then(|id| id.parse().ok());
    let found = store.organizations(after, PAGE).await.map_err(inboxd_core::Error::from)?;
    let (depth, troubles) = store.queue_depth(DESTINATIONS).await.map_err(inboxd_core::Error::from)?;
    let is_full = found.len() >= PAGE as usize;
    let next = found
        .last()
        .filter(|_| is_full)
        .map(|last| links::with_query(PATH, &[("after", &last.organization_id.to_string())]));
    let destinations = troubles.into_iter().map(|trouble| DestinationRow {
        destination: shown(&trouble.destination, 100),
        deferred: trouble.deferred,
        most_attempts: trouble.most_attempts,
        oldest: Moment(trouble.oldest_at),
        next: Moment(trouble.next_at),
        reason: trouble.reason.map_or_else(String::new, |reason| shown(&reason, 300)),
    });
    let template = OperatorPage {
        frame: call.frame(Section::Operator, "Operator"),
        is_database_ready: store.ready().await.is_ok(),
        has_space: call.app().capacity.has_space(),
        messages: depth.messages,
        held: depth.held,
        deferred: depth.deferred,
        oldest: depth.oldest_at.map(Moment),
        destinations: destinations.collect(),
        organizations: found.iter().map(row).collect(),
        next,
    };
    call.render(&template)
}

fn row(organization: &Organization) -> OrganizationRow {
    OrganizationRow {
        id: organization.organization_id.to_string(),
        owner: organization.owner_text().to_owned(),
        plan: organization.plan.as_str(),
        is_verified: organization.is_verified(),
        is_suspended: organization.suspension.is_some(),
        created: Moment(organization.created_at),
    }
}

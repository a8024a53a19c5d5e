//! `/console/operator/organizations/{organization_id}`

use actix_web::HttpResponse;
use askama::Template;
use inboxd_core::app::account;
use inboxd_core::model::{OrganizationId, Plan};
use inboxd_core::{Error, Resource};

use super::require_operator;
use crate::console::call::{ConsoleCall, PageResult};
use crate::console::choices::Choice;
use crate::console::frame::{Frame, Section};
use crate::console::problem::{Problem, render_form};
use crate::console::text::{shown, size};
use crate::console::time::Moment;
use crate::error::ApiError;
use crate::path;

#[derive(Template)]
#[template(path = "console/operator_organization.html")]
struct OrganizationPage<'a> {
    frame: Frame,
    problem: Option<&'a Problem>,
    id: String,
    owner: String,
    is_verified: bool,
    plans: Vec<Choice>,
    suspension: Option<(String, Moment)>,
    brake: Option<(&'static str, String, Moment)>,
    is_paying: bool,
    inboxes: u64,
    domains: u64,
    webhooks: u64,
    storage: String,
    created: Moment,
    reason: &'a str,
}

/// Shows an organization with its usage.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    page(call, None).await
}

/// Changes the plan.
pub(super) async fn change_plan(call: &ConsoleCall) -> PageResult {
    let organization_id = named(call)?;
    let plan: Plan = call.form.one("plan").unwrap_or_default().parse().map_err(|why| Error::invalid("plan", why))?;
    account::change_plan(call.app(), organization_id, plan).await?;
    Ok(to_page(call, organization_id, "saved"))
}

/// Suspends the organization.
pub(super) async fn suspend(call: &ConsoleCall) -> PageResult {
    let organization_id = named(call)?;
    let reason = call.form.one("reason").unwrap_or_default();
    match account::suspend(call.app(), organization_id, reason).await {
        Ok(_) => Ok(to_page(call, organization_id, "suspended")),
        Err(error) => page(call, Some(&Problem::of(error)?)).await,
    }
}

/// Resumes the organization.
pub(super) async fn resume(call: &ConsoleCall) -> PageResult {
    let organization_id = named(call)?;
    account::resume(call.app(), organization_id).await?;
    Ok(to_page(call, organization_id, "resumed"))
}

/// Lifts the brake on the sending of the organization.
pub(super) async fn lift_brake(call: &ConsoleCall) -> PageResult {
    let organization_id = named(call)?;
    account::lift_brake(call.app(), organization_id).await?;
    Ok(to_page(call, organization_id, "lifted"))
}

/// Returns the organization of the path, for operators alone.
fn named(call: &ConsoleCall) -> Result<OrganizationId, ApiError> {
    require_operator(call)?;
    let text = path::value(call.request(), "organization_id");
    text.parse().map_err(|_| Error::not_found(Resource::Organization, path::harmless(&text)).into())
}

fn to_page(call: &ConsoleCall, organization_id: OrganizationId, notice: &str) -> HttpResponse {
    call.redirect(&format!("/console/operator/organizations/{organization_id}?notice={notice}"))
}

async fn page(call: &ConsoleCall, problem: Option<&Problem>) -> PageResult {
    let organization_id = named(call)?;
    let overview = call.app().store.overview(organization_id).await.map_err(Error::from)?;
    let overview = overview.ok_or_else(|| Error::no_organization(organization_id))?;
    let record = call.app().store.billing(organization_id).await.map_err(Error::from)?;
    let organization = overview.organization;
    let plans = Plan::ALL.map(|plan| (plan.as_str(), plan.as_str()));
    let template = OrganizationPage {
        frame: call.frame(Section::Operator, "Organization"),
        problem,
        id: organization_id.to_string(),
        owner: organization.owner_text().to_owned(),
        is_verified: organization.is_verified(),
        plans: Choice::fixed(&plans, |plan| plan == organization.plan.as_str()),
        brake: organization.brake.map(|brake| (brake.level.as_str(), shown(&brake.reason, 300), Moment(brake.since))),
        suspension: organization.suspension.map(|suspension| (shown(&suspension.reason, 300), Moment(suspension.at))),
        is_paying: record.is_paying(),
        inboxes: overview.inbox_count,
        domains: overview.domain_count,
        webhooks: overview.webhook_count,
        storage: size(overview.storage_bytes),
        created: Moment(organization.created_at),
        reason: call.form.one("reason").unwrap_or_default(),
    };
    render_form(call, problem, &template)
}

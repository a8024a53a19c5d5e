//! `/console/settings`: the organization, the person, and the browsers in which the person is signed in.

use askama::Template;
use inboxd_core::Error;
use inboxd_core::app::{billing, oauth, quarantine};
use inboxd_core::model::permissions::OrganizationUpdate;
use inboxd_core::model::{BrowserSession, Permission, Plan, Scope};

use crate::console::call::{ConsoleCall, PageResult};
use crate::console::choices::Choice;
use crate::console::frame::{Frame, Section};
use crate::console::legal_hold::{self, HoldPanel};
use crate::console::quarantine_form;
use crate::console::text::shown;
use crate::console::time::Moment;
use crate::error::ApiError;
use crate::pages::Browser;

const PATH: &str = "/console/settings";

#[derive(Template)]
#[template(path = "console/settings.html")]
struct SettingsPage<'a> {
    frame: Frame,
    organization_id: String,
    owner: &'a str,
    plan: &'static str,
    is_verified: bool,
    suspension: Option<String>,
    brake: Option<(&'static str, String)>,
    created: Moment,
    role: &'static str,
    member_id: Option<String>,
    sessions: Vec<SessionRow>,
    quarantines: Vec<Choice>,
    may_change_quarantine: bool,
    may_read_policy: bool,
    /// Payment; `None` where it is not configured, or for a person who may not pay.
    payment: Option<PaymentForms>,
    hold: Option<HoldPanel>,
}

/// Ways to the payment provider.
struct PaymentForms {
    /// Plans to buy; none for a subscriber, who changes the plan at the provider.
    plans: Vec<&'static str>,
    /// Whether the organization has paid before, and has invoices.
    has_invoices: bool,
}

struct SessionRow {
    opened: Moment,
    used: Moment,
    ends: Moment,
    is_this: bool,
}

/// Shows the settings.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    let organization = &call.caller.organization;
    let this = BrowserSession::hash(call.browser().token());
    let sessions = oauth::sessions_of(call.app(), &call.browser().session).await?;
    let rows = sessions.into_iter().map(|session| SessionRow {
        opened: Moment(session.created_at),
        used: Moment(session.used_at),
        ends: Moment(session.expires_at),
        is_this: session.token_hash == this,
    });
    let template = SettingsPage {
        frame: call.frame(Section::Settings, "Settings"),
        organization_id: organization.organization_id.to_string(),
        owner: organization.owner_text(),
        plan: organization.plan.as_str(),
        is_verified: organization.is_verified(),
        brake: organization.brake.as_ref().map(|brake| (brake.level.as_str(), shown(&brake.reason, 300))),
        suspension: organization.suspension.as_ref().map(|suspension| shown(&suspension.reason, 300)),
        created: Moment(organization.created_at),
        role: call.caller.member.as_ref().map_or("", |person| person.role.as_str()),
        member_id: call.caller.member.as_ref().map(|person| person.member_id.to_string()),
        sessions: rows.collect(),
        quarantines: quarantine_form::modes(organization.quarantine),
        may_change_quarantine: call.may(Permission::OrganizationUpdate),
        may_read_policy: call.may(Permission::PolicyRead),
        payment: payment(call).await?,
        hold: legal_hold::panel(call, Scope::Organization, format!("{PATH}/legal-hold"), "the organization").await?,
    };
    call.render(&template)
}

/// Changes the quarantine.
pub(super) async fn save_quarantine(call: &ConsoleCall) -> PageResult {
    let caller = call.authorize::<OrganizationUpdate>(Scope::Organization)?;
    let mode = quarantine_form::mode(call)?;
    call.with_fix(quarantine::update(call.app(), &caller, Some(mode)).await)?;
    Ok(call.redirect("/console/settings?notice=saved"))
}

async fn payment(call: &ConsoleCall) -> Result<Option<PaymentForms>, ApiError> {
    let Ok(payments) = billing::require_payments(call.app(), &call.caller) else { return Ok(None) };
    let organization = &call.caller.organization;
    let record = call.app().store.billing(organization.organization_id).await.map_err(Error::from)?;
    let others = payments.plans().into_iter().filter(|plan| !record.is_paying() && *plan != organization.plan);
    let plans = others.map(Plan::as_str).collect();
    Ok(Some(PaymentForms { plans, has_invoices: record.customer_id.is_some() }))
}

/// Places or ends the legal hold of the organization.
pub(super) async fn hold(call: &ConsoleCall) -> PageResult {
    legal_hold::change(call, Scope::Organization).await?;
    Ok(call.redirect(&format!("{PATH}?notice=saved")))
}

/// Ends all sessions of the person, this one included.
pub(super) async fn sign_out_everywhere(call: &ConsoleCall) -> PageResult {
    oauth::close_all_sessions(call.app(), &call.browser().session).await?;
    let mut response = call.redirect("/console/sign-in");
    Browser::forget(call.state(), &mut response);
    Ok(response)
}

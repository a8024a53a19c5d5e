//! `/console/settings`: the organization, the person, and the browsers in which the person is signed in.

use askama::Template;
use inboxd_core::app::{billing, oauth};
use inboxd_core::model::{BrowserSession, Permission, Plan};

use crate::console::call::{ConsoleCall, PageResult};
use crate::console::frame::{Frame, Section};
use crate::console::text::shown;
use crate::console::time::Moment;
use crate::pages::Browser;

#[derive(Template)]
#[template(path = "console/settings.html")]
struct SettingsPage<'a> {
    frame: Frame,
    organization_id: String,
    owner: &'a str,
    plan: &'static str,
    is_verified: bool,
    suspension: Option<String>,
    created: Moment,
    role: &'static str,
    member_id: Option<String>,
    sessions: Vec<SessionRow>,
    /// Plans for sale; `None` where payments are not configured, or for a person who may not pay.
    plans: Option<Vec<&'static str>>,
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
    let may_pay =
        call.may(Permission::Billing) && billing::status(call.app(), &call.caller).is_ok_and(|is| is.configured);
    let plans = call.app().payments.as_ref().filter(|_| may_pay).map(|payments| payments.plans());
    let template = SettingsPage {
        frame: call.frame(Section::Settings, "Settings"),
        organization_id: organization.organization_id.to_string(),
        owner: organization.owner_email.as_str(),
        plan: organization.plan.as_str(),
        is_verified: organization.is_verified(),
        suspension: organization.suspension.as_ref().map(|suspension| shown(&suspension.reason, 300)),
        created: Moment(organization.created_at),
        role: call.caller.member.as_ref().map_or("", |person| person.role.as_str()),
        member_id: call.caller.member.as_ref().map(|person| person.member_id.to_string()),
        sessions: rows.collect(),
        plans: plans.map(|plans| plans.into_iter().map(Plan::as_str).collect()),
    };
    call.render(&template)
}

/// Ends all sessions of the person, this one included.
pub(super) async fn sign_out_everywhere(call: &ConsoleCall) -> PageResult {
    oauth::close_all_sessions(call.app(), &call.browser().session).await?;
    let mut response = call.redirect("/console/sign-in");
    Browser::forget(call.state(), &mut response);
    Ok(response)
}

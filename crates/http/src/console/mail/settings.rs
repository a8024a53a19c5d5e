//! `/console/inboxes/{inbox_id}/settings`: name, pause, quarantine, retention, legal hold and deletion of an inbox.

use askama::Template;
use inboxd_core::app::inboxes::{self, InboxChange};
use inboxd_core::model::permissions::{InboxDelete, InboxRead, InboxUpdate};
use inboxd_core::model::{Inbox, InboxStatus, Permission, Scope};

use crate::console::call::{ConsoleCall, PageResult};
use crate::console::choices::Choice;
use crate::console::frame::{Frame, Section};
use crate::console::legal_hold::{self, HoldPanel};
use crate::console::problem::{Problem, render_form};
use crate::console::time::Moment;
use crate::console::{links, quarantine_form};
use crate::error::ApiError;

#[derive(Template)]
#[template(path = "console/inbox_settings.html")]
struct SettingsPage<'a> {
    frame: Frame,
    address: String,
    path: String,
    display_name: &'a str,
    created: Moment,
    paused: Option<Moment>,
    quarantines: Vec<Choice>,
    retention_days: String,
    may_expire: bool,
    hold: Option<HoldPanel>,
    may_update: bool,
    may_delete: bool,
    problem: Option<&'a Problem>,
}

/// Shows the settings of an inbox.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    page(call, None).await
}

/// Leads from the path of a form to the page that has it.
pub(super) async fn lead_back(call: &ConsoleCall) -> PageResult {
    Ok(call.redirect(&links::in_inbox(&call.inbox_id(), "settings")))
}

/// Changes the name, pauses or resumes.
pub(super) async fn save(call: &ConsoleCall) -> PageResult {
    saved(call, update(call).await).await
}

/// Changes the quarantine.
pub(super) async fn quarantine(call: &ConsoleCall) -> PageResult {
    saved(call, update_quarantine(call).await).await
}

/// Changes the retention.
pub(super) async fn retain(call: &ConsoleCall) -> PageResult {
    saved(call, update_retention(call).await).await
}

/// Leads back to the settings, or shows them with the problem.
async fn saved(call: &ConsoleCall, result: Result<(), ApiError>) -> PageResult {
    match result {
        Ok(()) => Ok(call.redirect(&format!("{}?notice=saved", links::in_inbox(&call.inbox_id(), "settings")))),
        Err(error) => page(call, Some(&Problem::of(error)?)).await,
    }
}

async fn update(call: &ConsoleCall) -> Result<(), ApiError> {
    let (caller, inbox_id) = call.authorize_inbox::<InboxUpdate>()?;
    let change = if let Some(status) = call.form.one("status").and_then(InboxStatus::named) {
        InboxChange { status: Some(status), ..InboxChange::default() }
    } else {
        let name = call.form.one("display_name").map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
        InboxChange { display_name: Some(name), ..InboxChange::default() }
    };
    call.require_space_for(&change)?;
    call.with_fix(inboxes::update(call.app(), &caller, &inbox_id, change).await)?;
    Ok(())
}

async fn update_quarantine(call: &ConsoleCall) -> Result<(), ApiError> {
    let (caller, inbox_id) = call.authorize_inbox::<InboxUpdate>()?;
    let change = InboxChange { quarantine: Some(quarantine_form::own_mode(call)?), ..InboxChange::default() };
    call.with_fix(inboxes::update(call.app(), &caller, &inbox_id, change).await)?;
    Ok(())
}

async fn update_retention(call: &ConsoleCall) -> Result<(), ApiError> {
    let (caller, inbox_id) = call.authorize_inbox::<InboxUpdate>()?;
    let days = call.form.one("retention_days").map(|typed| typed.trim().parse()).transpose();
    let problem = "must be a whole number of days, or nothing";
    let days = days.map_err(|_| inboxd_core::Error::invalid("retention_days", problem))?;
    let change = InboxChange { retention_days: Some(days), ..InboxChange::default() };
    call.with_fix(inboxes::update(call.app(), &caller, &inbox_id, change).await)?;
    Ok(())
}

/// Places or ends the legal hold.
pub(super) async fn hold(call: &ConsoleCall) -> PageResult {
    saved(call, legal_hold::change(call, Scope::Inbox(call.inbox_id())).await).await
}

/// Deletes the inbox, once its address was typed.
pub(super) async fn delete(call: &ConsoleCall) -> PageResult {
    let (caller, inbox_id) = call.authorize_inbox::<InboxDelete>()?;
    let typed = call.form.one("address").unwrap_or_default().trim();
    if !typed.eq_ignore_ascii_case(inbox_id.as_str()) {
        let error = inboxd_core::Error::invalid("address", "is not the address of this inbox; nothing was deleted");
        return page(call, Some(&Problem::of(error)?)).await;
    }
    match call.with_fix(inboxes::delete(call.app(), &caller, &inbox_id).await) {
        Ok(()) => Ok(call.redirect("/console?notice=deleted")),
        Err(error) => page(call, Some(&Problem::of(error)?)).await,
    }
}

async fn page(call: &ConsoleCall, problem: Option<&Problem>) -> PageResult {
    if !call.may(Permission::InboxDelete) {
        call.require(Permission::InboxUpdate)?;
    }
    let (caller, inbox_id) = call.authorize_inbox::<InboxRead>()?;
    let inbox: Inbox = inboxes::get(call.app(), &caller, &inbox_id).await?;
    let action = links::in_inbox(&inbox_id, "legal-hold");
    let hold = legal_hold::panel(call, Scope::Inbox(inbox_id.clone()), action, "this inbox").await?;
    let typed = call.form.one("display_name");
    let kept_for = inbox.retention_days.map(|days| days.to_string()).unwrap_or_default();
    let template = SettingsPage {
        frame: call.frame(Section::Mail, format!("Settings of {inbox_id}")),
        address: inbox_id.to_string(),
        path: links::inbox(&inbox_id),
        display_name: typed.or(inbox.display_name.as_deref()).unwrap_or_default(),
        created: Moment(inbox.created_at),
        paused: inbox.paused_at.map(Moment),
        quarantines: quarantine_form::own_modes(inbox.quarantine, "as the organization and the pod decide"),
        retention_days: call.form.one("retention_days").map_or(kept_for, str::to_owned),
        may_expire: call.may(Permission::InboxUpdate) && call.may(Permission::MessageDelete),
        may_update: call.may(Permission::InboxUpdate),
        may_delete: call.may(Permission::InboxDelete),
        hold,
        problem,
    };
    render_form(call, problem, &template)
}

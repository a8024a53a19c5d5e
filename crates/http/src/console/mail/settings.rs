//! `/console/inboxes/{inbox_id}/settings`: name, pause and deletion of an inbox.

use askama::Template;
use inboxd_core::app::inboxes::{self, InboxChange};
use inboxd_core::model::permissions::{InboxDelete, InboxRead, InboxUpdate};
use inboxd_core::model::{Inbox, InboxStatus, Permission};

use crate::console::call::{ConsoleCall, PageResult};
use crate::console::frame::{Frame, Section};
use crate::console::links;
use crate::console::problem::{Problem, render_form};
use crate::console::time::Moment;
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
    match update(call).await {
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

/// Deletes the inbox, once its address was typed.
pub(super) async fn delete(call: &ConsoleCall) -> PageResult {
    let (caller, inbox_id) = call.authorize_inbox::<InboxDelete>()?;
    let typed = call.form.one("address").unwrap_or_default().trim();
    if !typed.eq_ignore_ascii_case(inbox_id.as_str()) {
        let error = inboxd_core::Error::invalid("address", "is not the address of this inbox; nothing was deleted");
        return page(call, Some(&Problem::of(error)?)).await;
    }
    call.with_fix(inboxes::delete(call.app(), &caller, &inbox_id).await)?;
    Ok(call.redirect("/console?notice=deleted"))
}

async fn page(call: &ConsoleCall, problem: Option<&Problem>) -> PageResult {
    if !call.may(Permission::InboxDelete) {
        call.require(Permission::InboxUpdate)?;
    }
    let (caller, inbox_id) = call.authorize_inbox::<InboxRead>()?;
    let inbox: Inbox = inboxes::get(call.app(), &caller, &inbox_id).await?;
    let typed = call.form.one("display_name");
    let template = SettingsPage {
        frame: call.frame(Section::Mail, format!("Settings of {inbox_id}")),
        address: inbox_id.to_string(),
        path: links::inbox(&inbox_id),
        display_name: typed.or(inbox.display_name.as_deref()).unwrap_or_default(),
        created: Moment(inbox.created_at),
        paused: inbox.paused_at.map(Moment),
        may_update: call.may(Permission::InboxUpdate),
        may_delete: call.may(Permission::InboxDelete),
        problem,
    };
    render_form(call, problem, &template)
}

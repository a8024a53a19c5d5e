//! `POST /console/inboxes/{inbox_id}/threads/{thread_id}`: labels, notes, assignee, trash, release, redaction.

use inboxd_core::app::threads::notes::{self, NewNote};
use inboxd_core::app::threads::{self, Assignment, ThreadChange};
use inboxd_core::app::{messages, quarantine};
use inboxd_core::model::NoteId;
use inboxd_core::model::permissions::{AgentArmorRelease, MessageDelete, MessageUpdate};
use inboxd_core::{Error, Resource};

use super::bulk::label_change;
use super::thread;
use crate::console::call::{ConsoleCall, PageResult};
use crate::console::links;
use crate::console::problem::Problem;
use crate::error::ApiError;

/// Page after a form.
enum NextPage {
    Thread(&'static str),
    Inbox(&'static str),
}

/// Does what a button of the thread says.
pub(super) async fn save(call: &ConsoleCall) -> PageResult {
    match act(call).await {
        Ok(next) => {
            let (path, notice) = match next {
                NextPage::Thread(notice) => (links::thread(&call.inbox_id(), call.thread_id()?), notice),
                NextPage::Inbox(notice) => (links::inbox(&call.inbox_id()), notice),
            };
            Ok(call.redirect(&format!("{path}?notice={notice}")))
        }
        Err(error) => thread::page(call, Some(&Problem::of(error)?)).await,
    }
}

async fn act(call: &ConsoleCall) -> Result<NextPage, ApiError> {
    let thread_id = call.thread_id()?;
    let field = |name: &str| call.form.one(name);
    if let Some(label) = field("unlabel") {
        relabel(call, "unlabel", Some(label)).await?;
        return Ok(NextPage::Thread("saved"));
    }
    if let Some(note_id) = field("delete_note") {
        let (caller, _) = call.authorize_inbox::<MessageUpdate>()?;
        let note_id: NoteId =
            note_id.parse().map_err(|_| Error::not_found(Resource::Note, crate::path::harmless(note_id)))?;
        call.with_fix(notes::delete(call.app(), &caller, thread_id, note_id).await)?;
        return Ok(NextPage::Thread("deleted"));
    }
    match field("action").unwrap_or_default() {
        "note" => {
            let (caller, _) = call.authorize_inbox::<MessageUpdate>()?;
            let text = field("note").unwrap_or_default().replace("\r\n", "\n");
            let new = NewNote { text, client_id: field("client_id").map(str::to_owned) };
            call.with_fix(notes::add(call.app(), &caller, thread_id, new).await)?;
            Ok(NextPage::Thread("saved"))
        }
        "assign" => {
            let (caller, _) = call.authorize_inbox::<MessageUpdate>()?;
            let assignee = match field("assignee").unwrap_or("none") {
                "none" => Assignment::Nobody,
                "me" => Assignment::Me,
                id => Assignment::Id(id.to_owned()),
            };
            let change = ThreadChange { assignee: Some(assignee), ..ThreadChange::default() };
            call.with_fix(threads::update(call.app(), &caller, thread_id, change).await)?;
            Ok(NextPage::Thread("saved"))
        }
        "release" => {
            let (caller, inbox_id) = call.authorize_inbox::<AgentArmorRelease>()?;
            let message_id = crate::path::message_id(field("message_id").unwrap_or_default());
            let reason = field("reason").unwrap_or_default();
            call.with_fix(quarantine::release(call.app(), &caller, &inbox_id, &message_id, reason).await)?;
            Ok(NextPage::Thread("released"))
        }
        "redact" => {
            let (caller, inbox_id) = call.authorize_inbox::<MessageDelete>()?;
            let message_id = crate::path::message_id(field("message_id").unwrap_or_default());
            call.with_fix(messages::redact(call.app(), &caller, &inbox_id, &message_id).await)?;
            Ok(NextPage::Thread("redacted"))
        }
        "delete" => {
            let (caller, _) = call.authorize_inbox::<MessageDelete>()?;
            call.with_fix(threads::delete(call.app(), &caller, thread_id).await)?;
            Ok(NextPage::Inbox("deleted"))
        }
        action => {
            relabel(call, action, field("label")).await?;
            Ok(match action {
                "trash" => NextPage::Inbox("trashed"),
                "unread" => NextPage::Inbox("saved"),
                _ => NextPage::Thread("saved"),
            })
        }
    }
}

async fn relabel(call: &ConsoleCall, action: &str, label: Option<&str>) -> Result<(), ApiError> {
    let (caller, _) = call.authorize_inbox::<MessageUpdate>()?;
    let change = ThreadChange { labels: label_change(action, label)?, assignee: None };
    call.with_fix(threads::update(call.app(), &caller, call.thread_id()?, change).await)?;
    Ok(())
}

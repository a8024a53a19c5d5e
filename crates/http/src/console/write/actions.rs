//! `…/drafts/{draft_id}/send`, `/unschedule`, `/delete`: approve, undo, discard.

use actix_web::http::StatusCode;
use inboxd_core::app::drafts::{self, DraftChange};
use inboxd_core::model::permissions::{DraftDelete, DraftUpdate};

use super::composer::{Composer, Target};
use super::draft::find;
use super::fields::{Problem, Typed};
use super::submit::schedule;
use super::whole::is_whole;
use crate::console::call::{ConsoleCall, PageResult};
use crate::console::links;
use crate::error::ApiError;
use crate::pages::log_cause;

/// Sends a draft as the list showed it.
///
/// A draft that was changed since then is shown instead: its author may not replace an approved text. So is one that the
/// list does not show whole.
pub(super) async fn send(call: &ConsoleCall) -> PageResult {
    let draft = find(call).await?;
    let target = Target::Draft(draft.item.draft_id);
    let is_as_shown = call.form.one("revision") == Some(&draft.item.dispatch.revision.to_string());
    let unseen = |text: &str| (StatusCode::CONFLICT, vec![Problem::general(text)]);
    let (status, problems) = if !is_as_shown {
        unseen("The draft was changed since you opened the page. Read it again, then send it.")
    } else if !is_whole(&draft) {
        unseen("The list of drafts does not show all of this draft. Read it here, then send it.")
    } else {
        match schedule(call, &draft, None).await {
            Ok(()) => return Ok(call.redirect(&format!("{}/sending", path(call)?))),
            Err(error) => {
                log_cause(&error);
                (StatusCode::UNPROCESSABLE_ENTITY, Problem::of(&error))
            }
        }
    };
    let typed = Typed::of_draft(&draft);
    let composer = Composer { target: &target, draft: Some(&draft), typed, problems, is_conflict: false };
    composer.render(call, status).await
}

/// Stops a scheduled send: the message is a draft again.
pub(super) async fn unschedule(call: &ConsoleCall) -> PageResult {
    let (caller, inbox_id) = call.authorize_inbox::<DraftUpdate>()?;
    let change = DraftChange { send_at: Some(None), ..DraftChange::default() };
    drafts::update(call.app(), &caller, &inbox_id, call.draft_id()?, change).await?;
    Ok(call.redirect(&format!("{}?notice=unscheduled", path(call)?)))
}

/// Discards a draft.
pub(super) async fn delete(call: &ConsoleCall) -> PageResult {
    let (caller, inbox_id) = call.authorize_inbox::<DraftDelete>()?;
    drafts::delete(call.app(), &caller, &inbox_id, call.draft_id()?).await?;
    Ok(call.redirect("/console/drafts?notice=discarded"))
}

/// Leads from the path of a form to its draft: "Back" of a refusal.
pub(super) async fn lead_back(call: &ConsoleCall) -> PageResult {
    Ok(call.redirect(&path(call)?))
}

fn path(call: &ConsoleCall) -> Result<String, ApiError> {
    Ok(links::draft(&call.inbox_id(), call.draft_id()?))
}

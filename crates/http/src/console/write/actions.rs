//! `…/drafts/{draft_id}/send`, `/approve`, `/reject`, `/unschedule`, `/delete`.

use actix_web::http::StatusCode;
use inboxd_core::app::drafts::{self, DraftChange};
use inboxd_core::model::MessageId;
use inboxd_core::model::permissions::{DraftApprove, DraftDelete, DraftUpdate};

use super::composer::{Composer, Target};
use super::draft::find;
use super::fields::{Problem, Typed};
use super::submit::schedule;
use super::whole::is_whole;
use crate::console::call::{ConsoleCall, PageResult};
use crate::console::links;
use crate::error::ApiError;
use crate::pages::log_cause;
use crate::path;

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
            Ok(()) => return Ok(call.redirect(&format!("{}/sending", own_path(call)?))),
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

/// Sends a held message as it was shown.
pub(super) async fn approve(call: &ConsoleCall) -> PageResult {
    let (caller, inbox_id) = call.authorize_inbox::<DraftApprove>()?;
    let message_id = shown_message(call);
    drafts::approve(call.app(), &caller, &inbox_id, call.draft_id()?, &message_id).await?;
    Ok(call.redirect("/console/drafts?notice=approved"))
}

/// Rejects a held message as it was shown. The draft stays.
pub(super) async fn reject(call: &ConsoleCall) -> PageResult {
    let (caller, inbox_id) = call.authorize_inbox::<DraftApprove>()?;
    let reason = call.form.one("reason").map(str::trim).filter(|reason| !reason.is_empty()).map(str::to_owned);
    let message_id = shown_message(call);
    drafts::reject(call.app(), &caller, &inbox_id, call.draft_id()?, &message_id, reason).await?;
    Ok(call.redirect("/console/drafts?notice=rejected"))
}

/// Returns the id of the message that the page showed.
fn shown_message(call: &ConsoleCall) -> MessageId {
    path::message_id(call.form.one("message_id").unwrap_or_default())
}

/// Stops a scheduled send: the message is a draft again.
pub(super) async fn unschedule(call: &ConsoleCall) -> PageResult {
    let (caller, inbox_id) = call.authorize_inbox::<DraftUpdate>()?;
    let change = DraftChange { send_at: Some(None), ..DraftChange::default() };
    drafts::update(call.app(), &caller, &inbox_id, call.draft_id()?, change).await?;
    Ok(call.redirect(&format!("{}?notice=unscheduled", own_path(call)?)))
}

/// Discards a draft.
pub(super) async fn delete(call: &ConsoleCall) -> PageResult {
    let (caller, inbox_id) = call.authorize_inbox::<DraftDelete>()?;
    drafts::delete(call.app(), &caller, &inbox_id, call.draft_id()?).await?;
    Ok(call.redirect("/console/drafts?notice=discarded"))
}

/// Leads from the path of a form to its draft: "Back" of a refusal.
pub(super) async fn lead_back(call: &ConsoleCall) -> PageResult {
    Ok(call.redirect(&own_path(call)?))
}

fn own_path(call: &ConsoleCall) -> Result<String, ApiError> {
    Ok(links::draft(&call.inbox_id(), call.draft_id()?))
}

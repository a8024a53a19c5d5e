//! `/console/inboxes/{inbox_id}/drafts/{draft_id}`: a stored draft, its autosave, its attachments.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use inboxd_core::app::drafts;
use inboxd_core::model::Draft;
use inboxd_core::model::permissions::DraftRead;
use inboxd_core::{Error, Resource};
use serde_json::json;

use super::composer::{Composer, Target, attachments};
use super::fields::{Problem, Typed};
use super::submit::{self, Saved, save};
use crate::console::call::{ConsoleCall, PageResult};
use crate::console::links;
use crate::console::mail::show_html;
use crate::error::ApiError;
use crate::pages::log_cause;

pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    let draft = find(call).await?;
    let target = Target::Draft(draft.item.draft_id);
    let typed = Typed::of_draft(&draft);
    let composer = Composer { target: &target, draft: Some(&draft), typed, problems: Vec::new(), is_conflict: false };
    composer.render(call, StatusCode::OK).await
}

/// Returns the draft of the path.
pub(super) async fn find(call: &ConsoleCall) -> Result<Draft, ApiError> {
    let (caller, _) = call.authorize_inbox::<DraftRead>()?;
    Ok(drafts::get(call.app(), &caller, call.draft_id()?).await?)
}

pub(super) async fn submit(call: &ConsoleCall) -> PageResult {
    submit::submit(call, &Target::Draft(call.draft_id()?)).await
}

pub(super) async fn autosave(call: &ConsoleCall) -> PageResult {
    autosaved(call, &Target::Draft(call.draft_id()?)).await
}

/// Stores the fields that can be read, and answers the script.
pub(super) async fn autosaved(call: &ConsoleCall, target: &Target) -> PageResult {
    let typed = Typed::of_form(&call.form);
    let (content, problems) = typed.read(&call.form);
    let refused = |status, message: &str| HttpResponse::build(status).json(json!({ "message": message }));
    match save(call, target, &content).await {
        Ok(Saved::Stored(draft)) => {
            let path = links::draft(&draft.item.inbox_id, draft.item.draft_id);
            let message = problems.first().map_or_else(String::new, |problem| format!(" Not yet: {}", problem.text));
            Ok(HttpResponse::Ok().json(json!({
                "message": format!("Saved.{message}"),
                "path": path,
                "revision": draft.item.dispatch.revision,
                "attachments": attachments(&draft),
            })))
        }
        Ok(Saved::Conflict(_)) => {
            let message = "Not saved: this draft was changed elsewhere. Press “Save draft” to see both texts.";
            Ok(refused(StatusCode::CONFLICT, message))
        }
        Err(error) => {
            log_cause(&error);
            let problems: Vec<String> = Problem::of(&error).into_iter().map(|problem| problem.text).collect();
            Ok(refused(error.code.status(), &format!("Not saved. {}", problems.join(" "))))
        }
    }
}

/// Shows the HTML of a draft as a document of its own.
pub(super) async fn body(call: &ConsoleCall) -> PageResult {
    let draft = find(call).await?;
    let html = draft.html.ok_or_else(|| Error::not_found(Resource::Draft, draft.item.draft_id))?;
    show_html(call, html).await
}

/// Leads to an attachment by a short-lived link.
pub(super) async fn attachment(call: &ConsoleCall) -> PageResult {
    let (caller, _) = call.authorize_inbox::<DraftRead>()?;
    let (_, link) = drafts::link(call.app(), &caller, call.draft_id()?, call.attachment_id()?).await?;
    Ok(call.redirect(&format!("/v0/downloads/{}", link.token)))
}

//! `/console/inboxes/{inbox_id}/compose`: a new message, a reply, a forward.

use actix_web::http::StatusCode;
use inboxd_core::app::drafts;
use inboxd_core::model::permissions::DraftCreate;

use super::composer::{Composer, Kind, Target};
use super::draft::autosaved;
use super::fields::Typed;
use super::submit::{self, new_draft, new_target};
use crate::console::call::{ConsoleCall, PageResult};
use crate::console::links;
use crate::path;

pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    let (caller, inbox_id) = call.authorize_inbox::<DraftCreate>()?;
    let kind = Kind::named(call.query.one("kind"));
    let message_id = call.query.one("message_id").map(path::message_id);
    let letter = drafts::propose(call.app(), &caller, &inbox_id, new_draft(kind, message_id.clone())).await?;
    let target = new_target(call, kind, message_id);
    let typed = Typed::of_letter(&letter);
    let composer = Composer { target: &target, draft: None, typed, problems: Vec::new(), is_conflict: false };
    composer.render(call, StatusCode::OK).await
}

pub(super) async fn submit(call: &ConsoleCall) -> PageResult {
    submit::submit(call, &target_of(call)).await
}

pub(super) async fn autosave(call: &ConsoleCall) -> PageResult {
    autosaved(call, &target_of(call)).await
}

/// Leads from the path of the autosave to the composer.
pub(super) async fn lead_back(call: &ConsoleCall) -> PageResult {
    Ok(call.redirect(&links::in_inbox(&call.inbox_id(), "compose")))
}

/// Returns the target that the hidden fields name.
fn target_of(call: &ConsoleCall) -> Target {
    let field = |name: &str| call.form.one(name);
    let (kind, message_id) = (Kind::named(field("kind")), field("message_id").map(path::message_id));
    match field("idempotency_key") {
        Some(key) => Target::New { kind, message_id, key: key.to_owned() },
        None => new_target(call, kind, message_id),
    }
}

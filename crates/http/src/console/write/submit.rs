//! Save, send, schedule: the forms of the composer.

use actix_web::http::StatusCode;
use inboxd_core::Error;
use inboxd_core::app::drafts::{self, DraftChange, NewDraft};
use inboxd_core::model::permissions::{DraftCreate, DraftRead, DraftSend, DraftUpdate};
use inboxd_core::model::{Draft, MessageId};
use time::{Duration, OffsetDateTime};

use super::composer::{Composer, Kind, Target};
use super::fields::{Content, Problem, Typed};
use super::is_of_agent;
use crate::console::call::{ConsoleCall, PageResult};
use crate::console::links;
use crate::error::{ApiError, ErrorCode};
use crate::pages::log_cause;

/// Time for which a send can be undone.
const UNDO_TIME: Duration = Duration::seconds(10);

/// Action of a button of the composer. "Send" has no name, so that a form without a button sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Send,
    Save,
    Schedule,
}

/// Result of a save.
pub(super) enum Saved {
    Stored(Box<Draft>),
    /// The draft was changed since the page was made; nothing was stored.
    Conflict(Box<Draft>),
}

/// Stores the fields of the form, and sends or schedules the draft.
///
/// A refusal shows the page again with everything that was typed. Fields that can be read are stored nevertheless, and
/// with them the files, which a browser does not keep.
pub(super) async fn submit(call: &ConsoleCall, target: &Target) -> PageResult {
    let typed = Typed::of_form(&call.form);
    let (content, mut problems) = typed.read(&call.form);
    let action = Action::of(call);
    let send_at = if action == Action::Schedule { typed.send_at() } else { None };
    if action == Action::Schedule && send_at.is_none() {
        problems.push(Problem { field: "send_at", text: "Enter the date and time of the send.".to_owned() });
    }
    if action != Action::Save && !content.has_recipient() {
        problems.push(Problem { field: "to", text: "Add at least one recipient, in To, Cc or Bcc.".to_owned() });
    }
    let draft = match save(call, target, &content).await {
        Ok(Saved::Stored(draft)) => draft,
        Ok(Saved::Conflict(draft)) => {
            let composer = Composer { target, draft: Some(&draft), typed, problems: Vec::new(), is_conflict: true };
            return composer.render(call, StatusCode::CONFLICT).await;
        }
        Err(error) => {
            log_cause(&error);
            problems.splice(..0, Problem::of(&error));
            return refuse(call, target, typed, problems, error).await;
        }
    };
    if problems.is_empty() && action != Action::Save {
        match schedule(call, &draft, send_at).await {
            Ok(()) => {}
            Err(error) => {
                log_cause(&error);
                problems = Problem::of(&error);
            }
        }
    }
    if !problems.is_empty() {
        let composer = Composer { target, draft: Some(&draft), typed, problems, is_conflict: false };
        return composer.render(call, StatusCode::UNPROCESSABLE_ENTITY).await;
    }
    let path = links::draft(&draft.item.inbox_id, draft.item.draft_id);
    Ok(call.redirect(&match action {
        Action::Send => format!("{path}/sending"),
        Action::Save => format!("{path}?notice=saved"),
        Action::Schedule => format!("{path}?notice=scheduled"),
    }))
}

impl Action {
    fn of(call: &ConsoleCall) -> Self {
        match call.form.one("action") {
            Some("save") => Self::Save,
            Some("schedule") => Self::Schedule,
            _ if call.form.one("remove").is_some() => Self::Save,
            _ => Self::Send,
        }
    }
}

/// Shows the page again after a form that was not stored.
async fn refuse(
    call: &ConsoleCall,
    target: &Target,
    typed: Typed,
    problems: Vec<Problem>,
    error: ApiError,
) -> PageResult {
    let status = error.code.status();
    let draft = match target {
        Target::New { .. } => None,
        Target::Draft(draft_id) => {
            let (caller, _) = call.authorize_inbox::<DraftRead>()?;
            // A draft that is gone has no page; the browser keeps its fields behind "Back".
            match drafts::get(call.app(), &caller, *draft_id).await {
                Ok(draft) => Some(draft),
                Err(_) => return Err(error),
            }
        }
    };
    // A key whose draft is gone would refuse the next attempt too.
    let fresh = match target {
        Target::New { kind, message_id, .. } => new_target(call, *kind, message_id.clone()),
        Target::Draft(draft_id) => Target::Draft(*draft_id),
    };
    let composer = Composer { target: &fresh, draft: draft.as_ref(), typed, problems, is_conflict: false };
    composer.render(call, status).await
}

/// Returns the target of a new message, with a key of its own.
pub(super) fn new_target(call: &ConsoleCall, kind: Kind, message_id: Option<MessageId>) -> Target {
    let app = call.app();
    Target::New { kind, message_id, key: app.random.uuid_at(app.clock.now()).to_string() }
}

/// Returns the draft that the target names, which has no content yet.
pub(super) fn new_draft(kind: Kind, message_id: Option<MessageId>) -> NewDraft {
    let is_forward = kind == Kind::Forward;
    let (forward_of, in_reply_to) = if is_forward { (message_id, None) } else { (None, message_id) };
    NewDraft { in_reply_to, forward_of, reply_all: kind == Kind::ReplyAll, ..NewDraft::default() }
}

/// Stores the fields as a new draft or in the stored one.
///
/// # Errors
/// The refusals of the API; 404 for a draft that was sent or discarded.
pub(super) async fn save(call: &ConsoleCall, target: &Target, content: &Content) -> Result<Saved, ApiError> {
    let draft = match target {
        Target::New { kind, message_id, key } => {
            let (caller, inbox_id) = call.authorize_inbox::<DraftCreate>()?;
            // The page has the recipients of a reply already; those that were typed replace them.
            let new = NewDraft { reply_all: false, ..new_draft(*kind, message_id.clone()) };
            let new = NewDraft { letter: content.letter(), client_id: Some(key.clone()), ..new };
            drafts::create(call.app(), &caller, &inbox_id, new).await.map_err(sent_before)?
        }
        Target::Draft(draft_id) => {
            let (caller, _) = call.authorize_inbox::<DraftRead>()?;
            drafts::get(call.app(), &caller, *draft_id).await?
        }
    };
    let change = content.change(&draft);
    if !is_seen(call, &draft, change.is_some()) {
        return Ok(Saved::Conflict(Box::new(draft)));
    }
    // A repeated form finds its draft, and a reply begins with recipients that may have been removed.
    let Some(change) = change else { return Ok(Saved::Stored(Box::new(draft))) };
    let revision = draft.item.dispatch.revision;
    let (caller, inbox_id) = call.authorize_inbox::<DraftUpdate>()?;
    let change = DraftChange { expected_revision: Some(revision), ..change };
    Ok(Saved::Stored(Box::new(drafts::update(call.app(), &caller, &inbox_id, draft.item.draft_id, change).await?)))
}

/// Returns whether the person knows the stored draft: as the page showed it, or as the person wrote it last.
///
/// The fields of the form do not hold all of a draft. An agent can change its HTML, attachments and reply addresses alone.
fn is_seen(call: &ConsoleCall, draft: &Draft, is_changed: bool) -> bool {
    let seen = call.form.one("revision");
    let is_own = !is_of_agent(&draft.item) && draft.item.updated_by.id() == call.caller.actor.id();
    seen == Some(&draft.item.dispatch.revision.to_string()) || is_own && (seen.is_none() || !is_changed)
}

fn sent_before(error: Error) -> ApiError {
    match error {
        Error::ClientIdSpent(_) => ApiError::new(ErrorCode::Conflict, "this message was sent or discarded before")
            .fix("look for it under Sent; to send it once more, press Send again"),
        error => error.into(),
    }
}

/// Schedules the seen revision of a draft: for a time, or so soon that the send can still be undone.
///
/// # Errors
/// The refusals of a send that are known before: of recipients, inbox and organization, and for a send at once of quotas;
/// 409 for another revision.
pub(super) async fn schedule(
    call: &ConsoleCall,
    draft: &Draft,
    send_at: Option<OffsetDateTime>,
) -> Result<(), ApiError> {
    let (sender, inbox_id) = call.authorize_inbox::<DraftSend>()?;
    drafts::check_send(call.app(), &sender, &inbox_id, &draft.item).await?;
    if send_at.is_none() {
        drafts::check_quota(call.app(), &sender).await?;
    }
    let (caller, _) = call.authorize_inbox::<DraftUpdate>()?;
    let change = DraftChange {
        send_at: Some(Some(send_at.unwrap_or_else(|| call.app().clock.now() + UNDO_TIME))),
        expected_revision: Some(draft.item.dispatch.revision),
        ..DraftChange::default()
    };
    drafts::update(call.app(), &caller, &inbox_id, draft.item.draft_id, change).await?;
    Ok(())
}

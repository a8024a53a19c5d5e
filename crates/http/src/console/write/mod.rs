//! Writing: composer, drafts, and the ten seconds in which a send can be undone.
//!
//! ```text
//! addresses.rs  lists of addresses as a person types them
//! fields.rs     the fields of the composer, and their changes of a draft
//! composer.rs   the page with the composer
//! submit.rs     save, send, schedule
//! compose.rs    a new message, a reply, a forward
//! draft.rs      a stored draft: page, autosave, attachments
//! actions.rs    send, approve, reject, undo, discard
//! sending.rs    the page after "Send"
//! list.rs       list of drafts; whole.rs: drafts that it shows whole
//! ```
//!
//! "Send" stores a draft and schedules it ten seconds ahead, so that it can be undone.

mod actions;
mod addresses;
mod compose;
mod composer;
mod draft;
mod fields;
mod list;
mod sending;
mod submit;
mod whole;

use inboxd_core::app::drafts;
use inboxd_core::model::permissions::DraftRead;
use inboxd_core::model::{Actor, DraftId, DraftItem, Permission};
use inboxd_core::rules::sending_policy::describe;
use inboxd_core::{Error, PolicyError};

use super::Routes;
use super::call::ConsoleCall;
use super::respond::{get, post};
use super::text::shown;
use super::time::Moment;
use crate::error::ApiError;
use crate::held::HeldView;

/// Maximum characters of the recipients of a draft on one line.
const MAX_RECIPIENT_CHARS: usize = 300;
/// Maximum characters of the subject of a draft on one line.
const MAX_SUBJECT_CHARS: usize = 200;

/// Paths of the area.
pub(super) fn routes() -> Routes {
    vec![
        ("/console/drafts", vec![get(list::show)]),
        ("/console/inboxes/{inbox_id}/compose", vec![get(compose::show), post(compose::submit)]),
        ("/console/inboxes/{inbox_id}/compose/autosave", vec![get(compose::lead_back), post(compose::autosave)]),
        ("/console/inboxes/{inbox_id}/drafts/{draft_id}", vec![get(draft::show), post(draft::submit)]),
        (
            "/console/inboxes/{inbox_id}/drafts/{draft_id}/autosave",
            vec![get(actions::lead_back), post(draft::autosave)],
        ),
        ("/console/inboxes/{inbox_id}/drafts/{draft_id}/body", vec![get(draft::body)]),
        ("/console/inboxes/{inbox_id}/drafts/{draft_id}/send", vec![get(actions::lead_back), post(actions::send)]),
        (
            "/console/inboxes/{inbox_id}/drafts/{draft_id}/approve",
            vec![get(actions::lead_back), post(actions::approve)],
        ),
        ("/console/inboxes/{inbox_id}/drafts/{draft_id}/reject", vec![get(actions::lead_back), post(actions::reject)]),
        ("/console/inboxes/{inbox_id}/drafts/{draft_id}/sending", vec![get(sending::show)]),
        (
            "/console/inboxes/{inbox_id}/drafts/{draft_id}/unschedule",
            vec![get(actions::lead_back), post(actions::unschedule)],
        ),
        ("/console/inboxes/{inbox_id}/drafts/{draft_id}/delete", vec![get(actions::lead_back), post(actions::delete)]),
        ("/console/inboxes/{inbox_id}/drafts/{draft_id}/attachments/{attachment_id}", vec![get(draft::attachment)]),
    ]
}

/// A message that a policy holds, as a person decides about it.
struct Held {
    /// The rule in words.
    reason: String,
    message_id: String,
    expires_at: Moment,
    may_decide: bool,
    /// The message as it leaves, on the page of the draft. Without it nobody decides.
    message: Option<HeldView>,
}

impl Held {
    /// Returns what a draft waits for; `None` if it waits for no approval.
    fn of(call: &ConsoleCall, item: &DraftItem) -> Option<Self> {
        let approval = item.approval.as_ref().filter(|_| item.awaits_approval())?;
        Some(Self {
            reason: shown(&describe(&approval.rule), 500),
            message_id: approval.message_id.to_string(),
            expires_at: Moment(approval.expires_at),
            may_decide: call.may(Permission::DraftApprove),
            message: None,
        })
    }

    /// Reads the message that is decided about.
    async fn read(&mut self, call: &ConsoleCall, draft_id: DraftId) -> Result<(), ApiError> {
        let (caller, _) = call.authorize_inbox::<DraftRead>()?;
        match drafts::held(call.app(), &caller, draft_id).await {
            Ok(held) => {
                self.message_id = held.approval.message_id.to_string();
                self.message = Some(HeldView::new(&held));
                Ok(())
            }
            // It was decided, changed or has expired meanwhile.
            Err(Error::Policy(PolicyError::NotAwaitingApproval(_))) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Returns whether an agent acts: an API key, or a client through a connection.
pub(super) fn is_agent(actor: &Actor) -> bool {
    matches!(actor, Actor::ApiKey { .. } | Actor::Member { connection_id: Some(_), .. })
}

/// Returns whether a draft has content of an agent.
fn is_of_agent(draft: &DraftItem) -> bool {
    draft.agent.is_some() || is_agent(&draft.updated_by)
}

/// Returns the name of an author.
fn author(actor: &Actor) -> String {
    match actor {
        Actor::ApiKey { name, .. } => format!("API key {}", shown(name, 80)),
        Actor::Member { name, email, connection_id, .. } => {
            let name = if name.is_empty() { email } else { name };
            let through = if connection_id.is_some() { ", by a connected client" } else { "" };
            format!("{}{through}", shown(name, 80))
        }
    }
}

/// Returns the recipients of a draft.
fn all_recipients(draft: &DraftItem) -> String {
    let all: Vec<&str> = [&draft.to, &draft.cc, &draft.bcc].into_iter().flatten().map(String::as_str).collect();
    all.join(", ")
}

/// Returns the recipients of a draft on one line.
fn recipients(draft: &DraftItem) -> String {
    shown(&all_recipients(draft), MAX_RECIPIENT_CHARS)
}

/// Returns the subject of a draft on one line.
fn subject(draft: &DraftItem) -> String {
    shown(draft.subject.as_deref().unwrap_or("No subject"), MAX_SUBJECT_CHARS)
}

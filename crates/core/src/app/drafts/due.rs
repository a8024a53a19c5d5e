//! Scheduled drafts.
//!
//! Each draft is sent once, at its time, with the rights of its last writer. Policies judge content of an agent as that of the
//! agent.

use time::OffsetDateTime;

use super::send::{LEASE, dispatch, release};
use crate::app::authenticate::caller_of;
use crate::app::claiming::{self, NotClaimed};
use crate::app::contention::{is_contention, retried};
use crate::app::{App, inboxes, rejection};
use crate::model::{Claim, ClaimedDraft, Draft, DraftId, OrganizationId, SendResult, SendSchedule};
use crate::ports::{StoreError, WorkJournal};
use crate::rules::access;
use crate::rules::labels::LabelChange;
use crate::{BrakeRefusal, Error};

/// Result of the send of a due draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Due {
    /// The draft was sent.
    Sent(SendResult),
    /// The draft was refused for this reason and stays as failed.
    Refused(String),
    /// After the claim, the inbox was paused, the organization suspended or its sending held. The draft stays scheduled and waits.
    Held,
    /// Another process or request has sent, changed or deleted the draft.
    Gone,
}

/// Returns the time of the next scheduled draft, or `None` without one, or without disk space, because none is claimed then.
///
/// # Errors
/// [`Error::Store`].
pub async fn next_due_draft(app: &App) -> Result<Option<OffsetDateTime>, Error> {
    if !app.capacity.has_space() {
        return Ok(None);
    }
    Ok(app.store.next_due_draft().await?)
}

/// Claims up to `limit` due drafts, and none without disk space for their messages.
///
/// The journal contains the claims before they commit.
///
/// # Errors
/// [`NotClaimed`].
pub async fn claim_due_drafts(
    app: &App,
    journal: &dyn WorkJournal,
    limit: u32,
) -> Result<Vec<ClaimedDraft>, NotClaimed> {
    if !app.capacity.has_space() {
        return Ok(Vec::new());
    }
    let mut tx = app.store.begin().await?;
    let drafts = tx.drafts().claim_due(app.clock.now(), LEASE, limit).await?;
    claiming::noted(journal, drafts.iter().copied().map(Claim::Draft), tx.commit()).await?;
    Ok(drafts)
}

/// Sends a claimed draft with the rights of its last writer.
///
/// A refusal by rights, caps, lists or suppressions makes the draft failed and appends the event `message.rejected`.
///
/// # Errors
/// [`Error::Store`] and [`Error::Internal`]; the draft is claimed again after its lease expires.
pub async fn send_due_draft(app: &App, claimed: &ClaimedDraft) -> Result<Due, Error> {
    let found = app.store.draft(claimed.organization_id, claimed.draft_id).await?;
    let Some(draft) = found.filter(|draft| draft.item.dispatch.revision == claimed.revision) else {
        return Ok(Due::Gone);
    };
    match send_as_last_writer(app, draft).await {
        Ok(sent) => Ok(Due::Sent(sent)),
        Err(Error::DraftSending(_)) => Ok(Due::Gone),
        Err(error @ (Error::Store(_) | Error::Internal(_))) if !is_lost(&error) => Err(error),
        Err(Error::InboxPaused(_) | Error::OrganizationSuspended { .. } | Error::Brake(BrakeRefusal::Held { .. })) => {
            retried(is_contention, || release(app, claimed)).await?;
            Ok(Due::Held)
        }
        Err(refusal) => {
            let reason = format!("draft {}: {}", claimed.draft_id, in_words(&refusal));
            retried(is_contention, || fail(app, claimed, &reason)).await
        }
    }
}

async fn send_as_last_writer(app: &App, draft: Draft) -> Result<SendResult, Error> {
    // The last writer wrote the content and had the permission to send, as every writer of a scheduled draft.
    let writer = caller_of(app, draft.item.organization_id, &draft.item.updated_by).await?;
    access::require_inbox(&writer, &draft.item.inbox_id)?;
    let inbox = inboxes::find(app, &writer, &draft.item.inbox_id).await?;
    dispatch(app, &writer, &inbox, draft, &LabelChange::default(), false, None).await
}

/// Returns true for a content that no later attempt can read.
fn is_lost(error: &Error) -> bool {
    matches!(error, Error::Store(StoreError::ContentLost(_)))
}

/// Returns the text of a refusal, with the problem of each invalid field.
fn in_words(refusal: &Error) -> String {
    match refusal {
        Error::Invalid(fields) => {
            let fields: Vec<_> = fields.iter().map(|field| format!("{}: {}", field.path, field.message)).collect();
            fields.join("; ")
        }
        lost if is_lost(lost) => "the content of an attachment is lost; tell the operator".to_owned(),
        Error::UnknownApiKey => "the API key, the person or the connection that scheduled it is gone".to_owned(),
        other => other.to_string(),
    }
}

/// Makes a scheduled draft failed, claimed or not, and returns whether it was scheduled.
///
/// # Errors
/// [`Error::Store`].
pub(in crate::app) async fn fail_scheduled(
    app: &App,
    organization_id: OrganizationId,
    draft_id: DraftId,
    reason: &str,
) -> Result<bool, Error> {
    let is_scheduled = |draft: &Draft| draft.item.dispatch.due_at().is_some();
    retried(is_contention, || fail_if(app, (organization_id, draft_id), is_scheduled, reason)).await
}

async fn fail(app: &App, claimed: &ClaimedDraft, reason: &str) -> Result<Due, Error> {
    let is_ours = |draft: &Draft| draft.item.dispatch.revision == claimed.revision;
    let has_failed = fail_if(app, (claimed.organization_id, claimed.draft_id), is_ours, reason).await?;
    Ok(if has_failed { Due::Refused(reason.to_owned()) } else { Due::Gone })
}

async fn fail_if(
    app: &App,
    (organization_id, draft_id): (OrganizationId, DraftId),
    is_meant: impl Fn(&Draft) -> bool,
    reason: &str,
) -> Result<bool, Error> {
    let now = app.clock.now();
    let mut tx = app.store.begin().await?;
    let found = tx.drafts().lock(organization_id, draft_id).await?;
    let Some(mut draft) = found.filter(is_meant) else { return Ok(false) };
    let own = draft.item.own_labels();
    draft.item.dispatch = SendSchedule { has_failed: true, ..draft.item.dispatch.written() };
    draft.item.updated_at = now;
    draft.item = draft.item.labelled(own);
    tx.drafts().update(&draft, &[]).await?;
    let item = &draft.item;
    let mut event = rejection::event(app, item.organization_id, item.pod_id, &item.inbox_id, reason.to_owned());
    if let Some(delayed) = item.delayed.as_ref().filter(|delayed| !delayed.was_held) {
        // The client knows the message by the ids that the send returned.
        event.message_id = Some(delayed.message_id.clone());
        event.thread_id = delayed.thread_id.or(item.thread_id()).or(event.thread_id);
    }
    tx.events().append(&[event]).await?;
    tx.commit().await?;
    Ok(true)
}

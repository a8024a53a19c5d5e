//! Approval and rejection of held messages.

use inboxd_mail::EmailAddress;
use time::OffsetDateTime;

use super::find::{not_found, of_inbox};
use super::send::{LEASE, release};
use super::update::refuse_claimed;
use crate::app::audit::{self, AuditChange};
use crate::app::contention::{is_contention, retried};
use crate::app::submit::{ApprovedMail, Approver, Place, send_approved};
use crate::app::{App, rejection, scope, standing};
use crate::model::permissions::DraftApprove;
use crate::model::{
    Actor, Approval, ApprovalStatus, AuditAction, ClaimedDraft, Draft, DraftId, DraftItem, DraftKind, Inbox, InboxId,
    MessageId, OrganizationId, SendResult, UsageChange,
};
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::{approval, labels};
use crate::{Error, PolicyError};

/// Maximum length of the reason of a rejection in characters.
const MAX_REASON_CHARS: usize = 1_000;
/// Expired approvals that one round ends.
const EXPIRED_BATCH: u32 = 100;

/// Sends the held message of a draft, byte for byte, and removes the draft. `message_id` names the message that the
/// person has seen: a changed draft has none, and another send of it has another.
///
/// # Errors
/// [`PolicyError::PersonRequired`], [`PolicyError::OwnApproval`], [`PolicyError::NotAwaitingApproval`], [`Error::NotFound`],
/// [`Error::DraftSending`]; then those of a send, after which the draft waits as before.
pub async fn approve(
    app: &App,
    caller: &AuthorizedCaller<DraftApprove>,
    inbox_id: &InboxId,
    draft_id: DraftId,
    message_id: &MessageId,
) -> Result<SendResult, Error> {
    let inbox = scope::find_inbox(app, caller, inbox_id).await?;
    let claimed = retried(is_contention, || claim(app, caller, &inbox, draft_id, message_id)).await?;
    let (draft, approval) = claimed;
    let lease = ClaimedDraft::from(&draft.item);
    let sent = match approved_mail(app, caller, &draft.item, approval).await {
        Ok(mail) => send_approved(app, caller, &inbox, mail).await,
        Err(error) => Err(error),
    };
    if sent.is_err() {
        // If this fails, the lease expires by itself.
        let _ = retried(is_contention, || release(app, &lease)).await;
    }
    rejection::recorded(app, caller, &inbox, sent).await
}

/// Claims a draft that waits for the approval of a message by this caller.
async fn claim(
    app: &App,
    caller: &AuthorizedCaller<DraftApprove>,
    inbox: &Inbox,
    draft_id: DraftId,
    message_id: &MessageId,
) -> Result<(Draft, Approval), Error> {
    let mut tx = app.store.begin().await?;
    let caller = standing::renewed(app, tx.as_mut(), caller).await?;
    let found = tx.drafts().lock(inbox.organization_id, draft_id).await?.ok_or_else(|| not_found(draft_id))?;
    let mut draft = of_inbox(found, &inbox.inbox_id)?;
    refuse_claimed(app, &draft)?;
    let waiting = waiting(&draft.item, message_id, app.clock.now())?;
    approval::require_approver(&caller, [&waiting.author, &draft.item.updated_by])?;
    draft.item.dispatch = draft.item.dispatch.claimed(app.clock.now() + LEASE);
    tx.drafts().update(&draft, &[]).await?;
    tx.commit().await?;
    Ok((draft, waiting))
}

/// Returns the approval that a draft waits for, of the message that the caller names.
pub(super) fn waiting(item: &DraftItem, message_id: &MessageId, now: OffsetDateTime) -> Result<Approval, Error> {
    let is_meant = |approval: &&Approval| {
        approval.status == ApprovalStatus::Awaiting && approval.message_id == *message_id && approval.expires_at > now
    };
    item.approval
        .as_ref()
        .filter(is_meant)
        .cloned()
        .ok_or_else(|| PolicyError::NotAwaitingApproval(item.draft_id).into())
}

/// Returns the composed message of a claimed draft.
async fn approved_mail(
    app: &App,
    caller: &AuthorizedCaller<DraftApprove>,
    item: &DraftItem,
    approval: Approval,
) -> Result<ApprovedMail, Error> {
    let raw = app.store.held_mail(item.organization_id, item.draft_id).await?;
    let raw = raw.ok_or(PolicyError::NotAwaitingApproval(item.draft_id))?;
    let recipients = approval.recipients.iter().map(|address| address.parse::<EmailAddress>());
    let recipients = recipients.collect::<Result<_, _>>().map_err(|error| Error::Internal(error.to_string()))?;
    let place = Place { draft: Some(ClaimedDraft::from(item)), ..Place::default() };
    let place = match &item.kind {
        DraftKind::Reply { in_reply_to, thread_id, references } => Place {
            thread_id: Some(*thread_id),
            in_reply_to: references.last().cloned(),
            answered: Some(in_reply_to.clone()),
            references: references.clone(),
            ..place
        },
        DraftKind::Plain | DraftKind::Forward { .. } => place,
    };
    Ok(ApprovedMail {
        author: approval.author,
        approved_by: Approver { caller: caller.clone(), draft: Box::new(item.clone()) },
        labels: labels::for_sent_message(&item.own_labels().to_vec())?,
        bcc: item.bcc.clone(),
        recipients,
        message_id: approval.message_id,
        thread_id: approval.thread_id,
        raw,
        place,
    })
}

/// Rejects the held message of a draft. The draft stays, and its author can change it and send it again.
///
/// # Errors
/// As [`approve`] before the send, and [`Error::Invalid`] for the reason.
pub async fn reject(
    app: &App,
    caller: &AuthorizedCaller<DraftApprove>,
    inbox_id: &InboxId,
    draft_id: DraftId,
    message_id: &MessageId,
    reason: Option<String>,
) -> Result<Draft, Error> {
    if reason.as_deref().is_some_and(|reason| reason.chars().count() > MAX_REASON_CHARS || reason.contains('\0')) {
        let message = format!("a reason has at most {MAX_REASON_CHARS} characters and holds no NUL");
        return Err(Error::invalid("reason", message));
    }
    let inbox = scope::find_inbox(app, caller, inbox_id).await?;
    let end = |draft: &Draft| {
        refuse_claimed(app, draft)?;
        let waiting = waiting(&draft.item, message_id, app.clock.now())?;
        approval::require_approver(caller, [&waiting.author, &draft.item.updated_by])?;
        let why = reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
        let event_reason = format!("draft {draft_id}: rejected by {}{why}", name_of(&caller.actor));
        Ok((Approval { status: ApprovalStatus::Rejected, reason: reason.clone(), ..waiting }, event_reason))
    };
    let ended =
        retried(is_contention, || end_approval(app, Some(caller), (inbox.organization_id, inbox_id, draft_id), end));
    ended.await?.ok_or_else(|| not_found(draft_id))
}

/// Returns the address of a person, or the name of a key.
fn name_of(actor: &Actor) -> &str {
    match actor {
        Actor::Member { email, .. } => email,
        Actor::ApiKey { name, .. } => name,
    }
}

/// Ends the approvals that no person gave in time. Returns whether more may remain.
///
/// # Errors
/// [`Error::Store`].
pub async fn expire_approvals(app: &App) -> Result<bool, Error> {
    let now = app.clock.now();
    let expired = app.store.expired_approvals(now, EXPIRED_BATCH).await?;
    let more = expired.len() >= EXPIRED_BATCH as usize;
    for ClaimedDraft { organization_id, draft_id, .. } in expired {
        let Some(draft) = app.store.draft(organization_id, draft_id).await? else { continue };
        let end = |draft: &Draft| {
            // A person approved it in time, and the message is on its way.
            refuse_claimed(app, draft)?;
            let found = draft.item.approval.clone().filter(|found| found.status == ApprovalStatus::Awaiting);
            let found = found.filter(|found| found.expires_at <= now);
            let found = found.ok_or(PolicyError::NotAwaitingApproval(draft_id))?;
            let reason = format!("draft {draft_id}: no person approved it in time");
            Ok((Approval { status: ApprovalStatus::Expired, ..found }, reason))
        };
        let place = (organization_id, &draft.item.inbox_id, draft_id);
        // Any other refusal means that it was approved, changed or deleted meanwhile, or that a rule keeps it. The
        // approvals behind it still end.
        if let Err(failure @ Error::Store(_)) = retried(is_contention, || end_approval(app, None, place, end)).await {
            return Err(failure);
        }
    }
    Ok(more)
}

/// Ends an approval, by a person or by time, with the event of the rejected message. `end` decides under the lock of the
/// draft.
async fn end_approval(
    app: &App,
    person: Option<&AuthorizedCaller<DraftApprove>>,
    (organization_id, inbox_id, draft_id): (OrganizationId, &InboxId, DraftId),
    end: impl Fn(&Draft) -> Result<(Approval, String), Error>,
) -> Result<Option<Draft>, Error> {
    let mut tx = app.store.begin().await?;
    if let Some(person) = person {
        standing::renewed(app, tx.as_mut(), person).await?;
    }
    let Some(found) = tx.drafts().lock(organization_id, draft_id).await? else { return Ok(None) };
    let draft = of_inbox(found, inbox_id)?;
    let before = draft.size();
    let (approval, reason) = end(&draft)?;
    let mut event = rejection::event(app, organization_id, draft.item.pod_id, inbox_id, reason);
    event.message_id = Some(approval.message_id.clone());
    event.thread_id = Some(approval.thread_id);
    event.traceparent = person.and_then(|person| person.traceparent);
    let own = draft.item.own_labels();
    let item = DraftItem {
        // The composed message is deleted with the approval.
        approval: Some(Approval { size: 0, ..approval }),
        dispatch: draft.item.dispatch.written(),
        updated_at: event.created_at,
        ..draft.item
    };
    let draft = Draft { item: item.labelled(own), ..draft };
    tx.drafts().update(&draft, &[]).await?;
    let change = UsageChange::resized(before, draft.size());
    tx.usage().change(&[(organization_id, inbox_id.clone(), change)]).await?;
    tx.events().append(&[event]).await?;
    if let Some(person) = person {
        let change = AuditChange::created(AuditAction::DraftRejected, &draft.item);
        audit::record(app, tx.as_mut(), person, change).await?;
    }
    tx.commit().await?;
    Ok(Some(draft))
}

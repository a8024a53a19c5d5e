//! Send of a draft.
//!
//! A draft is sent like any other message, and the same unit of work deletes it.

use time::Duration;

use super::delay::SendTime;
use super::find::{find, not_found, of_inbox};
use super::update::refuse_claimed;
use crate::Error;
use crate::app::contention::{is_contention, retried};
use crate::app::letter::{AttachmentSource, Letter, LetterAttachment};
use crate::app::messages::{self, mailboxes};
use crate::app::submit::{DryRun, FetchPurpose, Place, attempt, dry_run, require_quota, require_sendable};
use crate::app::{App, rejection, scope};
use crate::model::permissions::DraftSend;
use crate::model::{
    Attachment, Caller, ClaimedDraft, Draft, DraftId, DraftItem, DraftKind, HidingLabels, IdempotencyClaim, Inbox,
    InboxId, Permission, SendResult,
};
use crate::ports::DraftContent;
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::labels::LabelChange;
use crate::rules::{access, approval, loops, recipients};

/// Time for which one sender owns a draft.
///
/// The sender waits for no network meanwhile. If the process dies, the lease expires. A worker then sends a scheduled
/// draft, and a client can send any other draft again.
pub(super) const LEASE: Duration = Duration::minutes(1);

/// Sends a draft now and deletes it.
///
/// The message receives the labels of the draft after the change. Policies judge content of an agent as that of the agent,
/// also if a person sends it. A key must set `allow_automatic` to reply to an
/// automatic message.
///
/// # Errors
/// As [`messages::send`], and [`Error::DraftSending`] during another send of the draft. The draft stays.
pub async fn send(
    app: &App,
    caller: &AuthorizedCaller<DraftSend>,
    inbox_id: &InboxId,
    draft_id: DraftId,
    change: &LabelChange,
    allow_automatic: bool,
    once: Option<IdempotencyClaim>,
) -> Result<SendResult, Error> {
    let inbox = scope::find_inbox(app, caller, inbox_id).await?;
    let draft = retried(is_contention, || claim(app, &inbox, draft_id)).await?;
    let claimed = ClaimedDraft::from(&draft.item);
    match dispatch(app, caller, &inbox, draft, change, allow_automatic, once).await {
        Ok(sent) => Ok(sent),
        Err(error) => {
            // If this fails, the lease expires by itself.
            let _ = retried(is_contention, || release(app, &claimed)).await;
            rejection::recorded(app, caller, &inbox, Err(error)).await
        }
    }
}

/// Returns the result that [`send`] would have. The draft stays as it is.
///
/// # Errors
/// As [`send`]; refusals for recipients, quotas and budgets are in the result.
pub async fn dry_run_send(
    app: &App,
    caller: &AuthorizedCaller<DraftSend>,
    inbox_id: &InboxId,
    draft_id: DraftId,
    change: &LabelChange,
    allow_automatic: bool,
) -> Result<DryRun, Error> {
    // The result shows the content of the draft.
    access::require(caller, Permission::DraftRead)?;
    let inbox = scope::find_inbox(app, caller, inbox_id).await?;
    let draft = of_inbox(find(app, caller, draft_id).await?, inbox_id)?;
    refuse_claimed(app, &draft)?;
    let (letter, place) = prepare(app, caller, &inbox, draft, change, allow_automatic).await?;
    dry_run(app, caller, &inbox, letter, place).await
}

/// Checks whether a draft could be sent now, except for quotas. A client that schedules a send shows the refusal at once.
///
/// # Errors
/// As [`send`], for its recipients, inbox and organization.
pub async fn check_send(
    app: &App,
    caller: &AuthorizedCaller<DraftSend>,
    inbox_id: &InboxId,
    draft: &DraftItem,
) -> Result<(), Error> {
    let inbox = scope::find_inbox(app, caller, inbox_id).await?;
    let [to, cc, bcc] = [&draft.to, &draft.cc, &draft.bcc].map(|texts| mailboxes(texts));
    let recipients = recipients::unique_recipients(&to, &cc, &bcc)?;
    let checked = require_sendable(app, caller, &inbox, &recipients).await;
    rejection::recorded(app, caller, &inbox, checked).await.map(drop)
}

/// Checks whether the quotas permit a send now. The send checks them again.
///
/// # Errors
/// [`Error::OrganizationSuspended`], [`Error::LimitReached`].
pub async fn check_quota(app: &App, caller: &AuthorizedCaller<DraftSend>) -> Result<(), Error> {
    require_quota(app, caller.organization.organization_id, FetchPurpose::Send).await
}

async fn claim(app: &App, inbox: &Inbox, draft_id: DraftId) -> Result<Draft, Error> {
    let mut tx = app.store.begin().await?;
    let found = tx.drafts().lock(inbox.organization_id, draft_id).await?.ok_or_else(|| not_found(draft_id))?;
    let mut draft = of_inbox(found, &inbox.inbox_id)?;
    refuse_claimed(app, &draft)?;
    draft.item.dispatch = draft.item.dispatch.claimed(app.clock.now() + LEASE);
    tx.drafts().update(&draft, &[]).await?;
    tx.commit().await?;
    Ok(draft)
}

/// Releases a claimed draft that was not sent, and returns whether the claim was still valid.
///
/// A scheduled draft becomes due again.
pub(in crate::app) async fn release(app: &App, claimed: &ClaimedDraft) -> Result<bool, Error> {
    let mut tx = app.store.begin().await?;
    let found = tx.drafts().lock(claimed.organization_id, claimed.draft_id).await?;
    let Some(mut draft) = found.filter(|draft| draft.item.dispatch.revision == claimed.revision) else {
        return Ok(false);
    };
    draft.item.dispatch = draft.item.dispatch.written();
    tx.drafts().update(&draft, &[]).await?;
    tx.commit().await?;
    Ok(true)
}

/// Sends a claimed draft for a caller whose reach was checked.
///
/// The callers of this function record refusals.
pub(super) async fn dispatch(
    app: &App,
    caller: &Caller,
    inbox: &Inbox,
    draft: Draft,
    change: &LabelChange,
    allow_automatic: bool,
    once: Option<IdempotencyClaim>,
) -> Result<SendResult, Error> {
    let (letter, place) = prepare(app, caller, inbox, draft, change, allow_automatic).await?;
    attempt(app, caller, inbox, letter, Place { claim: once, ..place }).await
}

/// Returns the message that a draft becomes.
async fn prepare(
    app: &App,
    caller: &Caller,
    inbox: &Inbox,
    draft: Draft,
    change: &LabelChange,
    allow_automatic: bool,
) -> Result<(Letter, Place), Error> {
    let Draft { item, text, html } = draft;
    // A delayed send needed the permission to send messages.
    if item.delayed.is_none() || access::require(caller, Permission::MessageSend).is_err() {
        access::require(caller, Permission::DraftSend)?;
    }
    let delayed = item.delayed.clone();
    let headers = delayed.as_ref().map(|delayed| delayed.headers.clone()).unwrap_or_default();
    let allow_automatic = allow_automatic || delayed.as_ref().is_some_and(|delayed| delayed.allow_automatic);
    let place = Place {
        author: approval::kept_agent(&item, &caller.actor, false),
        draft: Some(ClaimedDraft::from(&item)),
        delayed,
        ..Place::default()
    };
    let contents = app.store.draft_contents(item.organization_id, item.draft_id).await?;
    let letter = Letter {
        to: mailboxes(&item.to),
        cc: mailboxes(&item.cc),
        bcc: mailboxes(&item.bcc),
        reply_to: mailboxes(&item.reply_to),
        labels: change.apply(&item.own_labels())?.to_vec(),
        attachments: attachments(&item, contents)?,
        subject: item.subject,
        text,
        html,
        calendar: None,
        headers,
        allow_automatic,
        // A draft names its recipients.
        confirm_reply_to: true,
        time: SendTime::default(),
    };
    match item.kind {
        DraftKind::Plain => Ok((letter, place)),
        DraftKind::Reply { in_reply_to, thread_id, references } => {
            // An original that was deleted meanwhile needs no check.
            let ids = std::slice::from_ref(&in_reply_to);
            let answered = app.store.messages(inbox.organization_id, &inbox.inbox_id, ids, HidingLabels::ALL).await?;
            if let Some(answered) = answered.first() {
                loops::refuse_automatic(&caller.actor, answered, letter.allow_automatic)?;
            }
            let (last, answered) = (references.last().cloned(), Some(in_reply_to));
            let place = Place { thread_id: Some(thread_id), in_reply_to: last, answered, references, ..place };
            Ok((letter, place))
        }
        DraftKind::Forward { forward_of } => {
            // A forward discloses its original to any chosen address, so it needs the permission to read messages.
            access::require(caller, Permission::MessageRead)?;
            let letter = messages::forwarded(app, caller, &inbox.inbox_id, &forward_of, letter).await?;
            Ok((letter, place))
        }
    }
}

/// Returns the attachments of a draft with their content.
fn attachments(item: &DraftItem, contents: Vec<DraftContent>) -> Result<Vec<LetterAttachment>, Error> {
    let mut contents: Vec<_> = contents.into_iter().map(Some).collect();
    let mut content_of = |attachment: &Attachment| {
        let is_meant = |content: &&mut Option<DraftContent>| {
            content.as_ref().is_some_and(|content| content.attachment_id == attachment.attachment_id)
        };
        contents.iter_mut().find(is_meant).and_then(Option::take).map(|content| content.content)
    };
    item.attachments
        .iter()
        .map(|attachment| {
            // Attachments and contents are written together. A missing content means that a change came between the
            // two reads.
            let content = content_of(attachment).ok_or(Error::DraftSending(item.draft_id))?;
            Ok(LetterAttachment {
                filename: attachment.filename.clone(),
                content_type: attachment.content_type.clone(),
                content_disposition: attachment.content_disposition,
                content_id: attachment.content_id.clone(),
                source: AttachmentSource::Content(content),
            })
        })
        .collect()
}

//! Change of a draft.

use inboxd_mail::{self as mail, Mailbox};
use time::OffsetDateTime;

use super::content::{attached, checked, draft_fetch, objects_of, require_fetchable, upload_contents};
use super::create::shown;
use super::find::{find, not_found, of_inbox};
use crate::app::contention::{is_contention, retried};
use crate::app::letter::{LetterAttachment, check_number, problems_of_attachments};
use crate::app::messages::{self, mailboxes};
use crate::app::submit::read_attachments;
use crate::app::{App, row_limits, scope};
use crate::model::permissions::DraftUpdate;
use crate::model::{
    Attachment, AttachmentId, Caller, Draft, DraftId, DraftItem, DraftKind, Inbox, InboxId, Permission, SendStatus,
    UsageChange,
};
use crate::ports::DraftContent;
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::labels::LabelChange;
use crate::rules::{access, approval, recipients};
use crate::{Error, FieldError};

/// Changes to a draft.
///
/// `None` leaves a field unchanged. `Some(None)` or an empty list clears it.
#[derive(Debug, Clone, Default)]
pub struct DraftChange {
    /// The recipients.
    pub to: Option<Vec<Mailbox>>,
    /// The recipients of copies.
    pub cc: Option<Vec<Mailbox>>,
    /// The hidden recipients.
    pub bcc: Option<Vec<Mailbox>>,
    /// The addresses for replies, if not that of the inbox.
    pub reply_to: Option<Vec<Mailbox>>,
    /// The subject.
    pub subject: Option<Option<String>>,
    /// The text.
    pub text: Option<Option<String>>,
    /// The HTML.
    pub html: Option<Option<String>>,
    /// The scheduled time of the send.
    pub send_at: Option<Option<OffsetDateTime>>,
    /// Attachments to add.
    pub add_attachments: Vec<LetterAttachment>,
    /// Attachments to remove; unknown ids are ignored.
    pub remove_attachments: Vec<AttachmentId>,
    /// The changes of the labels.
    pub labels: LabelChange,
    /// The revision that the caller has seen; `None` changes any.
    pub expected_revision: Option<u64>,
}

/// Changes a draft. Its kind (new message, reply or forward) never changes. The content of an agent stays that of the agent
/// until a person names the revision that they have read.
///
/// # Errors
/// [`Error::Invalid`], [`Error::NotFound`], [`Error::DraftSending`], [`Error::DraftChanged`], [`Error::TooLarge`],
/// [`Error::LimitReached`] for a change that grows the draft.
pub async fn update(
    app: &App,
    caller: &AuthorizedCaller<DraftUpdate>,
    inbox_id: &InboxId,
    draft_id: DraftId,
    mut change: DraftChange,
) -> Result<Draft, Error> {
    if matches!(change.send_at, Some(Some(_))) {
        access::require(caller, Permission::DraftSend)?;
    }
    Error::unless_empty(problems_of_change(&change, app.clock.now()))?;
    require_fetchable(caller, "add_attachments", &change.add_attachments)?;
    let inbox = scope::find_inbox(app, caller, inbox_id).await?;
    let draft = of_inbox(find(app, caller, draft_id).await?, inbox_id)?;
    refuse_claimed(app, &draft)?;
    let added = std::mem::take(&mut change.add_attachments);
    let order = draft_fetch(caller, &inbox, &draft.item.kind, "add_attachments");
    let (parts, _held) = read_attachments(app, &order, added).await?;
    let (attachments, contents) = attached(app, parts, app.clock.now());
    let added = (attachments, upload_contents(app, inbox.organization_id, contents).await?);
    let updated = retried(is_contention, || update_once(app, caller, &inbox, &draft.item, &change, &added)).await;
    app.discard_unless_stored(&objects_of(&added.1), &updated, |_| true).await;
    updated
}

/// Returns every problem that a change has by itself.
#[must_use]
pub fn problems_of_change(change: &DraftChange, now: OffsetDateTime) -> Vec<FieldError> {
    let draft = mail::DraftFields {
        reply_to: change.reply_to.as_deref().unwrap_or_default(),
        to: change.to.as_deref().unwrap_or_default(),
        cc: change.cc.as_deref().unwrap_or_default(),
        subject: change.subject.as_ref().and_then(|subject| subject.as_deref()),
        text: change.text.as_ref().and_then(|text| text.as_deref()),
        html: change.html.as_ref().and_then(|html| html.as_deref()),
        ..mail::DraftFields::default()
    };
    let mut problems = recipients::validate_draft(draft.to, draft.cc, change.bcc.as_deref().unwrap_or_default())
        .err()
        .into_iter()
        .chain(draft.validate().into_iter().map(FieldError::from))
        .chain(problems_of_attachments("add_attachments", &change.add_attachments))
        .collect::<Vec<_>>();
    if matches!(change.send_at, Some(Some(at)) if at <= now) {
        problems.push(FieldError::new("send_at", "must be in the future"));
    }
    problems
}

async fn update_once(
    app: &App,
    caller: &Caller,
    inbox: &Inbox,
    seen: &DraftItem,
    change: &DraftChange,
    (added, contents): &(Vec<Attachment>, Vec<DraftContent>),
) -> Result<Draft, Error> {
    let (draft_id, now) = (seen.draft_id, app.clock.now());
    // A draft never becomes a forward, so this read needs no lock.
    let may_read = require_reading_of_referenced_messages(app, caller, seen).await;
    let mut tx = app.store.begin().await?;
    let organization = row_limits::lock_organization(tx.as_mut(), inbox.organization_id).await?;
    let found = tx.drafts().lock(inbox.organization_id, draft_id).await?.ok_or_else(|| not_found(draft_id))?;
    let draft = of_inbox(found, &inbox.inbox_id)?;
    refuse_claimed(app, &draft)?;
    if change.expected_revision.is_some_and(|expected| expected != draft.item.dispatch.revision) {
        return Err(Error::DraftChanged(draft_id));
    }
    let size = draft.size();
    let mut draft = changed(draft, change)?;
    let kept = draft.item.attachments.len();
    draft.item.attachments.extend_from_slice(added);
    check_number("add_attachments", draft.item.attachments.len())?;
    let agent = approval::kept_agent(&draft.item, &caller.actor, change.expected_revision.is_some());
    draft.item = DraftItem { updated_by: caller.actor.clone(), agent, updated_at: now, ..draft.item };
    if draft.item.dispatch.status(now) == Some(SendStatus::Scheduled) {
        // A scheduled draft is sent with the rights of its last writer, so the caller needs the permissions of a
        // send.
        access::require(caller, Permission::DraftSend)?;
        may_read?;
    }
    let draft = checked(app, inbox, draft).await.map_err(|error| of_added(error, kept))?;
    if draft.size() > size {
        row_limits::require_storage(tx.as_mut(), &organization).await?;
    }
    tx.drafts().update(&draft, contents).await?;
    let change = UsageChange::resized(size, draft.size());
    if change != UsageChange::default() {
        tx.usage().change(&[(inbox.organization_id, inbox.inbox_id.clone(), change)]).await?;
    }
    tx.commit().await?;
    Ok(draft)
}

/// Requires that the caller may read the message that the draft forwards.
///
/// A scheduled draft is sent with all rights of its member, of which the caller's key may have few.
async fn require_reading_of_referenced_messages(app: &App, caller: &Caller, draft: &DraftItem) -> Result<(), Error> {
    let DraftKind::Forward { forward_of } = &draft.kind else { return Ok(()) };
    access::require(caller, Permission::MessageRead)?;
    messages::find(app, caller, &draft.inbox_id, forward_of).await.map(drop)
}

/// Refuses a draft that is being sent.
pub(super) fn refuse_claimed(app: &App, draft: &Draft) -> Result<(), Error> {
    let is_claimed = draft.item.dispatch.is_claimed(app.clock.now());
    if is_claimed { Err(Error::DraftSending(draft.item.draft_id)) } else { Ok(()) }
}

fn changed(draft: Draft, change: &DraftChange) -> Result<Draft, Error> {
    let own = change.labels.apply(&draft.item.own_labels())?;
    let replaced = |given: &Option<Vec<Mailbox>>, old: Vec<String>| given.as_deref().map_or(old, shown);
    let item = draft.item;
    let dispatch = change.send_at.map_or(item.dispatch, |at| item.dispatch.at(at)).written();
    let item = DraftItem {
        to: replaced(&change.to, item.to),
        cc: replaced(&change.cc, item.cc),
        bcc: replaced(&change.bcc, item.bcc),
        reply_to: replaced(&change.reply_to, item.reply_to),
        subject: change.subject.clone().unwrap_or(item.subject),
        attachments: item
            .attachments
            .into_iter()
            .filter(|attachment| !change.remove_attachments.contains(&attachment.attachment_id))
            .collect(),
        dispatch,
        // A change voids the approval that the message waits for.
        approval: None,
        ..item
    };
    recipients::validate_draft(&mailboxes(&item.to), &mailboxes(&item.cc), &mailboxes(&item.bcc))?;
    Ok(Draft {
        item: item.labelled(own),
        text: change.text.clone().unwrap_or(draft.text),
        html: change.html.clone().unwrap_or(draft.html),
    })
}

/// Translates the index of an invalid attachment into its index in the request, which lists the new attachments
/// alone.
fn of_added(error: Error, kept: usize) -> Error {
    let Error::Invalid(fields) = error else { return error };
    let renamed = fields.into_iter().map(|field| {
        let place = field.path.strip_prefix("attachments[").and_then(|rest| rest.split_once(']'));
        match place.and_then(|(place, rest)| Some((place.parse::<usize>().ok()?.checked_sub(kept)?, rest))) {
            Some((place, rest)) => FieldError { path: format!("add_attachments[{place}]{rest}"), ..field },
            None => field,
        }
    });
    Error::Invalid(renamed.collect())
}

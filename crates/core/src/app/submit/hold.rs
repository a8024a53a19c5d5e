//! A held message: a draft that waits for an approval, with the composed message.

use inboxd_mail::{HeaderAddress, ParsedMail, attachment_contents, hides_characters, preview, unseen_content};

use super::caps::Caps;
use super::content::custom_fields;
use super::store_batch::Submission;
use crate::Error;
use crate::app::drafts::{objects_of, upload_contents};
use crate::app::{App, row_limits};
use crate::model::{
    Approval, ApprovalStatus, Attachment, DelayedSend, Draft, DraftId, DraftItem, DraftKind, Event, EventBody, EventId,
    EventType, HeldWarning, Inbox, Labels, PolicyVerdict, SendResult, SendSchedule, StoredBlob, ThreadId, UsageChange,
};
use crate::ports::{DraftContent, Tx, WorkOwner};

/// Header fields that are read of a message.
const MAX_READ_FIELDS: usize = 500;
/// Bytes of header fields that are read of a message.
const MAX_READ_FIELD_BYTES: usize = 256 * 1024;
/// Bytes of text or HTML that are read of a message.
const MAX_READ_TEXT_BYTES: u64 = 8 * 1024 * 1024;

/// Attachments of a message as those of a draft, large ones as objects.
#[derive(Default)]
pub(super) struct HeldAttachments {
    attachments: Vec<Attachment>,
    contents: Vec<DraftContent>,
}

impl HeldAttachments {
    /// Returns those of a message without attachments; `None` for any other message, which [`prepare`] completes.
    pub(super) fn of(parsed: &ParsedMail) -> Option<Self> {
        parsed.attachments.is_empty().then(Self::default)
    }

    /// Returns the objects of large attachments.
    pub(super) fn objects(&self) -> Vec<&StoredBlob> {
        objects_of(&self.contents)
    }
}

/// Prepares the attachments of a message that a policy holds: decodes them, and stores large ones outside their rows. No unit
/// of work is open meanwhile.
///
/// # Errors
/// [`Error::Store`] while the store is not available.
pub(super) async fn prepare(app: &App, submission: &mut Submission) -> Result<(), Error> {
    let (organization_id, now) = (submission.inbox.organization_id, submission.now);
    let raw = std::mem::take(&mut submission.raw);
    let parts: Vec<usize> = submission.parsed.attachments.iter().map(|attachment| attachment.part).collect();
    let size = raw.len();
    let decode = move || {
        let contents = attachment_contents(&raw, &parts);
        (raw, contents)
    };
    let (raw, contents) = app.compute(WorkOwner::Organization(organization_id), size, decode).await?;
    submission.raw = raw;
    let (attachments, contents) = submission
        .parsed
        .attachments
        .iter()
        .zip(contents)
        .filter_map(|(attachment, content)| {
            let content = content?;
            let attachment = Attachment {
                attachment_id: app.mint(now),
                part: 0,
                filename: attachment.filename.clone(),
                content_type: attachment.content_type.clone(),
                content_disposition: attachment.disposition,
                content_id: attachment.content_id.clone(),
                size: u64::try_from(content.len()).unwrap_or(u64::MAX),
            };
            let attachment_id = attachment.attachment_id;
            Some((attachment, DraftContent { attachment_id, content, blob: None }))
        })
        .unzip();
    let contents = upload_contents(app, organization_id, contents).await?;
    submission.attachments = Some(HeldAttachments { attachments, contents });
    Ok(())
}

/// Stores a message as a draft that waits for an approval, with its event. A sent draft stays the same draft. That of a
/// forward gets the text and attachments of its original, so that every view of the draft shows what leaves. Returns `None`
/// and stores nothing while the attachments of a new draft or of a forward are not prepared.
///
/// # Errors
/// [`Error::DraftSending`], [`Error::RowLimitReached`], [`Error::LimitReached`], [`Error::SendKeyInUse`].
pub(super) async fn hold(
    app: &App,
    tx: &mut dyn Tx,
    caps: &Caps,
    submission: &Submission,
    rule: PolicyVerdict,
) -> Result<Option<SendResult>, Error> {
    let Submission { inbox, message_id, thread_id, place, raw, raw_blob, now, .. } = submission;
    caps.allow_storage(inbox.organization_id)?;
    let (draft, contents, before) = if let Some(claimed) = &place.draft {
        let found = tx.drafts().lock(inbox.organization_id, claimed.draft_id).await?;
        let draft = found.filter(|draft| draft.item.dispatch.revision == claimed.revision);
        let draft = draft.ok_or(Error::DraftSending(claimed.draft_id))?;
        let before = draft.size();
        if matches!(draft.item.kind, DraftKind::Forward { .. }) {
            let Some(prepared) = &submission.attachments else { return Ok(None) };
            (composed(draft, draft_of(app, submission, prepared)), prepared.contents.as_slice(), before)
        } else {
            (draft, [].as_slice(), before)
        }
    } else {
        row_limits::require_draft(app, tx, inbox.organization_id, &inbox.inbox_id).await?;
        let Some(prepared) = &submission.attachments else { return Ok(None) };
        (draft_of(app, submission, prepared), prepared.contents.as_slice(), 0)
    };
    let approval = approval_of(app, submission, rule);
    let event = held_event(app, submission, &approval);
    let item = DraftItem {
        approval: Some(approval),
        delayed: draft.item.delayed.map(|delayed| DelayedSend { was_held: true, ..delayed }),
        dispatch: draft.item.dispatch.at(None).written(),
        updated_at: *now,
        ..draft.item
    };
    let mut own = submission.labels.clone();
    own.remove("sent");
    let draft = Draft { item: item.labelled(own), ..draft };
    let DraftItem { organization_id, draft_id, .. } = draft.item;
    let held = SendResult { message_id: message_id.clone(), thread_id: *thread_id, held: Some(draft_id) };
    if let Some(change) = &place.calendar {
        // The event changes although its mail waits. A refusal comes before anything is written.
        change.apply(app, tx, inbox, submission.traceparent).await?;
    }
    match &place.draft {
        Some(_) => tx.drafts().update(&draft, contents).await?,
        None => tx.drafts().insert(&draft, contents).await?,
    }
    tx.drafts().keep_held_mail(organization_id, draft_id, raw, raw_blob.clone()).await?;
    let change = UsageChange::resized(before, draft.size());
    tx.usage().change(&[(organization_id, inbox.inbox_id.clone(), change)]).await?;
    if let Some(claim) = &place.claim
        && !tx.idempotency_keys().keep(claim, &held, *now).await?
    {
        return Err(Error::SendKeyInUse(claim.key.clone()));
    }
    tx.events().append(&[event(draft_id)]).await?;
    Ok(Some(held))
}

/// Returns the approval that a message waits for because of a rule.
fn approval_of(app: &App, submission: &Submission, rule: PolicyVerdict) -> Approval {
    let Submission { actor, message_id, thread_id, raw, parsed, now, .. } = submission;
    Approval {
        status: ApprovalStatus::Awaiting,
        rule,
        message_id: message_id.clone(),
        thread_id: *thread_id,
        author: actor.clone(),
        from: shown(&parsed.from).join(", "),
        recipients: submission.recipients.iter().map(|address| address.as_str().to_owned()).collect(),
        headers: custom_fields(parsed),
        warnings: warnings(raw, parsed),
        size: u64::try_from(raw.len()).unwrap_or(u64::MAX),
        held_at: *now,
        expires_at: *now + app.settings.approval_ttl,
        reason: None,
    }
}

/// Returns the draft of a message that was sent without one, with the content as it was composed.
fn draft_of(app: &App, submission: &Submission, prepared: &HeldAttachments) -> Draft {
    let Submission { inbox, actor, parsed, place, now, .. } = submission;
    let kind = match (place.thread_id, place.answered.clone().or_else(|| place.in_reply_to.clone())) {
        (Some(thread_id), Some(in_reply_to)) => {
            DraftKind::Reply { in_reply_to, thread_id, references: place.references.clone() }
        }
        _ => DraftKind::Plain,
    };
    let text = parsed.text.as_deref().map(preview).filter(|text| !text.is_empty());
    let item = DraftItem {
        organization_id: inbox.organization_id,
        pod_id: inbox.pod_id,
        inbox_id: inbox.inbox_id.clone(),
        draft_id: app.mint(*now),
        client_id: None,
        kind,
        labels: Labels::default(),
        to: shown(&parsed.to),
        cc: shown(&parsed.cc),
        bcc: submission.bcc.clone(),
        reply_to: shown(&parsed.reply_to),
        subject: parsed.subject.clone(),
        preview: text,
        attachments: prepared.attachments.clone(),
        dispatch: SendSchedule::default(),
        delayed: None,
        approval: None,
        created_by: actor.clone(),
        updated_by: actor.clone(),
        agent: None,
        created_at: *now,
        updated_at: *now,
    };
    Draft { item, text: parsed.text.clone(), html: parsed.html.clone() }
}

/// Returns a draft with the content of its composed message, as a draft of its own kind.
fn composed(draft: Draft, new: Draft) -> Draft {
    let DraftItem { kind, to, cc, bcc, reply_to, subject, preview, attachments, .. } = new.item;
    let item = DraftItem { kind, to, cc, bcc, reply_to, subject, preview, attachments, ..draft.item };
    Draft { item, ..new }
}

/// Returns what a person may overlook in a message.
fn warnings(raw: &[u8], mail: &ParsedMail) -> Vec<HeldWarning> {
    let unseen = mail.html.as_deref().map(unseen_content).unwrap_or_default();
    let is_hidden =
        unseen.is_hidden || mail.hides_text || mail.headers.iter().any(|(_, value)| hides_characters(value));
    let warnings = [
        (is_hidden, HeldWarning::HiddenContent),
        (unseen.is_fetched, HeldWarning::FetchedContent),
        (is_cut(raw, mail), HeldWarning::CutContent),
    ];
    warnings.into_iter().filter_map(|(applies, warning)| applies.then_some(warning)).collect()
}

/// Returns whether a message may have more fields or text than are read of it. Attachments count in base64.
fn is_cut(raw: &[u8], mail: &ParsedMail) -> bool {
    let fields: usize = mail.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
    let attached: u64 = mail.attachments.iter().map(|attachment| attachment.size / 8 * 11).sum();
    let texts = u64::try_from(raw.len()).unwrap_or(u64::MAX).saturating_sub(attached);
    mail.headers.len() >= MAX_READ_FIELDS || fields >= MAX_READ_FIELD_BYTES || texts >= MAX_READ_TEXT_BYTES
}

fn shown(addresses: &[HeaderAddress]) -> Vec<String> {
    addresses.iter().map(ToString::to_string).collect()
}

/// Returns the event of a held message, for a draft.
fn held_event(app: &App, submission: &Submission, approval: &Approval) -> impl FnOnce(DraftId) -> Event + use<> {
    let event = about(app, submission, EventType::MessageHeld);
    let recipients: Vec<String> = submission.recipients.iter().map(ToString::to_string).collect();
    let (rule, expires_at) = (approval.rule.clone(), approval.expires_at);
    move |draft_id| event(EventBody::Hold { draft_id, rule: Box::new(rule), recipients, expires_at })
}

/// Returns the event of an approved message in its thread; `None` for any other message. The thread for which it was held
/// may be gone.
pub(super) fn approved_event(app: &App, submission: &Submission, thread_id: ThreadId) -> Option<Event> {
    let approved_by = submission.approved_by.as_ref()?.caller.actor.clone();
    let draft_id = submission.place.draft?.draft_id;
    let event = about(app, submission, EventType::MessageApproved);
    Some(Event { thread_id: Some(thread_id), ..event(EventBody::Approve { draft_id, approved_by }) })
}

fn about(app: &App, submission: &Submission, event_type: EventType) -> impl FnOnce(EventBody) -> Event + use<> {
    let Inbox { organization_id, pod_id, inbox_id, .. } = submission.inbox.clone();
    let (thread_id, message_id, created_at) = (submission.thread_id, submission.message_id.clone(), submission.now);
    let (event_id, traceparent) = (app.mint::<EventId>(created_at), submission.traceparent);
    move |body| Event {
        event_id,
        event_type,
        organization_id,
        pod_id: Some(pod_id),
        inbox_id: Some(inbox_id),
        thread_id: Some(thread_id),
        message_id: Some(message_id),
        body,
        created_at,
        traceparent,
    }
}

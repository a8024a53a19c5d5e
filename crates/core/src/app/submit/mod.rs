//! Submission: composes a message, checks it against every quota, then stores and queues it in one unit of work.

mod admission;
mod author_texts;
mod caps;
mod content;
mod dry_run;
mod fetched;
mod free_verdicts;
mod hold;
mod policy;
mod queue;
mod recent;
mod recipient_policy;
mod store_batch;
mod stored_files;
mod submission_batcher;
mod write;

use inboxd_mail::{EmailAddress, parse};
use time::OffsetDateTime;

use self::content::ContentFacts;
use self::hold::HeldAttachments;
use self::recipient_policy::check_recipients;
pub(super) use self::store_batch::Approver;
use self::store_batch::Submission;
use self::write::write;
use super::calendar::CalendarChange;
use super::drafts::mail_approvers;
use super::letter::{self, Letter};
use super::{App, homes, rejection, reports};
use crate::Error;
use crate::model::{
    Actor, Caller, ClaimedDraft, DelayedSend, HidingLabels, IdempotencyClaim, Inbox, Labels, Locality, MessageId,
    SendResult, ThreadId,
};
use crate::ports::WorkOwner;
use crate::rules::{recipients, suspension};

pub use self::caps::{QuotaLeft, SendAllowance};
pub use self::dry_run::DryRun;
pub(super) use self::dry_run::dry_run;
use self::fetched::free_reads;
pub(super) use self::fetched::{FetchOrder, FetchPurpose, FetchShare, Fetches, require_quota};
pub(super) use self::free_verdicts::FreeVerdicts;
pub(super) use self::recent::RecentSends;
pub use self::recipient_policy::RecipientVerdict;
pub(super) use self::submission_batcher::SubmissionBatcher;
pub(super) use self::write::read_attachments;

/// Thread context of a message.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    /// Thread that the message continues; `None` starts a new one.
    pub(super) thread_id: Option<ThreadId>,
    /// Message that it replies to.
    pub(super) in_reply_to: Option<MessageId>,
    /// Id of that message in the inbox.
    pub(super) answered: Option<MessageId>,
    /// Earlier messages of the thread, oldest first.
    pub(super) references: Vec<MessageId>,
    /// Agent that wrote the content, if the caller did not.
    pub(super) author: Option<Actor>,
    /// Sent draft in its claimed revision. The unit of work that stores the message also deletes the draft, so that it
    /// is never sent twice.
    pub(super) draft: Option<ClaimedDraft>,
    /// Delayed send with the ids of the message.
    pub(super) delayed: Option<DelayedSend>,
    /// Claim of the idempotency key. Its result is stored in the same unit of work.
    pub(super) claim: Option<IdempotencyClaim>,
    /// Change of the calendar that the message is about, stored in the same unit of work.
    pub(super) calendar: Option<Box<CalendarChange>>,
}

/// Recipients, labels of the sent message, and where each recipient is.
type Addressed = (Vec<EmailAddress>, Labels, Vec<Locality>);

/// Sends a message from an inbox, and records a refusal because of a recipient. The permission and reach of the caller
/// were checked before.
pub(super) async fn submit(
    app: &App,
    caller: &Caller,
    inbox: &Inbox,
    letter: Letter,
    place: Place,
) -> Result<SendResult, Error> {
    rejection::recorded(app, caller, inbox, attempt(app, caller, inbox, letter, place).await).await
}

/// Refuses a message without attachments by URL that would be refused, by the hours, amounts and budgets of the time at
/// which it leaves, and records a refusal because of a recipient.
pub(super) async fn require_acceptable(
    app: &App,
    caller: &Caller,
    inbox: &Inbox,
    letter: Letter,
    (place, leaves_at): (Place, Option<OffsetDateTime>),
) -> Result<(), Error> {
    let trial = async {
        let (recipients, labels) = letter::check(&letter)?;
        let homes = require_sendable(app, caller, inbox, &recipients).await?;
        require_permissible(app, caller, inbox, letter, place, (recipients, labels, homes), leaves_at).await
    };
    rejection::recorded(app, caller, inbox, trial.await).await
}

/// Sends a message from an inbox. The caller of this function handles refusals.
pub(super) async fn attempt(
    app: &App,
    caller: &Caller,
    inbox: &Inbox,
    letter: Letter,
    place: Place,
) -> Result<SendResult, Error> {
    let (recipients, labels) = letter::check(&letter)?;
    // The checks precede fetches, so that a refused message causes no network traffic.
    let homes = require_sendable(app, caller, inbox, &recipients).await?;
    let addressed = (recipients, labels, homes);
    // A message that would be refused without its attachments by URL is refused before they are fetched.
    if let Some(unfetched) = letter.unfetched() {
        require_permissible(app, caller, inbox, unfetched, place.clone(), addressed.clone(), None).await?;
    }
    let (submission, share) = compose(app, caller, inbox, letter, place, addressed).await?;
    let sent = Box::pin(app.waiting.submissions.store(app, submission)).await?;
    drop(share);
    if let Some(draft_id) = sent.held {
        // The message waits in any case, so a failure refuses nothing.
        let _ = Box::pin(mail_approvers(app, inbox, draft_id)).await;
    }
    Ok(sent)
}

/// Refuses a message without attachments by URL that a send at `leaves_at`, or now, would refuse. The refusal costs nothing,
/// so only codes count that the caller may read. The decision about the send counts all.
async fn require_permissible(
    app: &App,
    caller: &Caller,
    inbox: &Inbox,
    letter: Letter,
    place: Place,
    addressed: Addressed,
    leaves_at: Option<OffsetDateTime>,
) -> Result<(), Error> {
    let (trial, _share) = Box::pin(compose(app, caller, inbox, letter, place, addressed)).await?;
    let trial = Submission { leaves_at, reads: free_reads(caller), ..trial };
    admission::decide_dry(app, &trial).await?.refusal.map_or(Ok(()), Err)
}

/// Composes the submission of a message. Fetched attachments count until the share is dropped.
async fn compose(
    app: &App,
    caller: &Caller,
    inbox: &Inbox,
    letter: Letter,
    place: Place,
    (recipients, labels, homes): Addressed,
) -> Result<(Submission, FetchShare), Error> {
    let now = app.clock.now();
    let message_id = match &place.delayed {
        Some(delayed) if !delayed.was_held => delayed.message_id.clone(),
        _ => MessageId::minted(app.random.uuid_at(now), inbox.inbox_id.domain()),
    };
    let begun = place.delayed.as_ref().and_then(|delayed| delayed.thread_id);
    let thread_id = place.thread_id.or(begun).unwrap_or_else(|| app.mint(now));
    let bcc: Vec<String> = letter.bcc.iter().map(ToString::to_string).collect();
    let (raw, parsed, content, share) =
        write(app, caller, inbox, letter, &recipients, &place, (&message_id, now)).await?;
    let submission = Submission {
        inbox: inbox.clone(),
        actor: place.author.clone().unwrap_or_else(|| caller.actor.clone()),
        sender: caller.actor.clone(),
        labels,
        bcc,
        recipients,
        homes,
        returns_to: reports::return_domain(app, inbox).await?,
        message_id,
        thread_id,
        raw,
        raw_blob: None,
        attachments: HeldAttachments::of(&parsed),
        parsed,
        content,
        reads: Some(HidingLabels::ALL),
        place,
        approved_by: None,
        traceparent: caller.traceparent,
        now,
        leaves_at: None,
    };
    Ok((submission, share))
}

/// A held message that a person approved, as it was composed.
pub(super) struct ApprovedMail {
    pub(super) author: Actor,
    pub(super) approved_by: Approver,
    pub(super) labels: Labels,
    pub(super) bcc: Vec<String>,
    pub(super) recipients: Vec<EmailAddress>,
    pub(super) message_id: MessageId,
    pub(super) thread_id: ThreadId,
    pub(super) raw: Vec<u8>,
    pub(super) place: Place,
}

/// Sends an approved message byte for byte. `approver` was checked before; policies are evaluated again.
pub(super) async fn send_approved(
    app: &App,
    approver: &Caller,
    inbox: &Inbox,
    mail: ApprovedMail,
) -> Result<SendResult, Error> {
    let now = app.clock.now();
    let homes = require_sendable(app, approver, inbox, &mail.recipients).await?;
    let ApprovedMail { author, approved_by, labels, bcc, recipients, message_id, thread_id, raw, place } = mail;
    let size = raw.len();
    let envelope = recipients.clone();
    let read = move || {
        let parsed = parse(&raw);
        let content = ContentFacts::of(&raw, &parsed, &envelope);
        (raw, parsed, content)
    };
    let (raw, parsed, content) = app.compute(WorkOwner::Organization(inbox.organization_id), size, read).await?;
    let submission = Submission {
        inbox: inbox.clone(),
        sender: author.clone(),
        actor: author,
        labels,
        bcc,
        recipients,
        homes,
        returns_to: reports::return_domain(app, inbox).await?,
        message_id,
        thread_id,
        raw,
        raw_blob: None,
        attachments: HeldAttachments::of(&parsed),
        parsed,
        content,
        reads: Some(HidingLabels::ALL),
        place,
        approved_by: Some(approved_by),
        traceparent: approver.traceparent,
        now,
        leaves_at: None,
    };
    Box::pin(app.waiting.submissions.store(app, submission)).await
}

/// Refuses a message that may not leave: by the state of its organization, inbox or domain, or for a recipient. Returns the
/// locality of each recipient.
pub(super) async fn require_sendable(
    app: &App,
    caller: &Caller,
    inbox: &Inbox,
    recipients: &[EmailAddress],
) -> Result<Vec<Locality>, Error> {
    require_able(app, caller, inbox).await?;
    recipients::require_allowed(&caller.organization, recipients)?;
    check_recipients(app, inbox, recipients).await
}

/// Refuses every message of an inbox by the state of its organization, itself or its domain.
async fn require_able(app: &App, caller: &Caller, inbox: &Inbox) -> Result<(), Error> {
    suspension::require_sending(&caller.organization, inbox)?;
    homes::refuse_lost(app, inbox).await
}

//! Submission: composes a message, checks it against every quota, then stores and queues it in one unit of work.

mod caps;
mod dry_run;
mod fetched;
mod queue;
mod recent;
mod recipient_policy;
mod store_batch;
mod submission_batcher;
mod write;

use inboxd_mail::EmailAddress;

use self::recipient_policy::check_recipients;
use self::store_batch::Submission;
use self::write::write;
use super::letter::{self, Letter};
use super::{App, homes, rejection, reports};
use crate::Error;
use crate::model::{
    Caller, ClaimedDraft, DelayedSend, IdempotencyClaim, Inbox, Labels, Locality, MessageId, SendResult, ThreadId,
};
use crate::rules::{recipients, suspension};

pub use self::caps::{QuotaLeft, SendAllowance};
pub use self::dry_run::DryRun;
pub(super) use self::dry_run::dry_run;
pub(super) use self::fetched::{FetchPurpose, FetchShare, Fetches, require_quota};
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
    /// Earlier messages of the thread, oldest first.
    pub(super) references: Vec<MessageId>,
    /// Sent draft in its claimed revision. The unit of work that stores the message also deletes the draft, so that it
    /// is never sent twice.
    pub(super) draft: Option<ClaimedDraft>,
    /// Delayed send whose ids the message has.
    pub(super) delayed: Option<DelayedSend>,
    /// Claim of the idempotency key. Its result is stored in the same unit of work.
    pub(super) claim: Option<IdempotencyClaim>,
}

/// Sends a message from an inbox, and records a refusal because of a recipient. The permission and reach of the caller
/// were checked before.
pub(super) async fn submit(
    app: &App,
    caller: &Caller,
    inbox: &Inbox,
    letter: Letter,
    place: Place,
) -> Result<SendResult, Error> {
    rejection::recorded(app, inbox, attempt(app, caller, inbox, letter, place).await).await
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
    let (submission, _held) = compose(app, caller, inbox, letter, place, (recipients, labels, homes)).await?;
    app.waiting.submissions.store(app, submission).await
}

/// Composes the submission of a message. Fetched attachments count until the share is dropped.
async fn compose(
    app: &App,
    caller: &Caller,
    inbox: &Inbox,
    letter: Letter,
    place: Place,
    (recipients, labels, homes): (Vec<EmailAddress>, Labels, Vec<Locality>),
) -> Result<(Submission, Option<FetchShare>), Error> {
    let now = app.clock.now();
    let message_id = match &place.delayed {
        Some(delayed) => delayed.message_id.clone(),
        None => MessageId::minted(app.random.uuid_at(now), inbox.inbox_id.domain()),
    };
    let bcc: Vec<String> = letter.bcc.iter().map(ToString::to_string).collect();
    let (raw, parsed, held) = write(app, caller, inbox, letter, &place, &message_id, now).await?;
    let returns_to = reports::return_domain(app, inbox).await?;
    let (inbox, actor) = (inbox.clone(), caller.actor.clone());
    let submission =
        Submission { inbox, actor, labels, bcc, recipients, homes, returns_to, message_id, raw, parsed, place, now };
    Ok((submission, held))
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

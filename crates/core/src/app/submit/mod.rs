//! A mail leaves an inbox: composed, checked against every cap, stored and queued in one unit of work.

mod caps;
mod fetched;
mod queue;
mod recent;
mod recipient_policy;
mod store_batch;
mod submission_batcher;
mod write;

use self::recipient_policy::check_recipients;
use self::store_batch::Submission;
use self::write::write;
use super::letter::{self, Letter};
use super::{App, homes, rejection, reports};
use crate::Error;
use crate::model::{Caller, ClaimedDraft, Inbox, MessageId, SendClaim, Sent, ThreadId};
use crate::rules::{recipients, suspension};

pub(super) use self::fetched::{FetchPurpose, FetchShare, Fetches};
pub(super) use self::recent::RecentSends;
pub(super) use self::submission_batcher::SubmissionBatcher;
pub(super) use self::write::read_attachments;

/// Where a letter belongs.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    /// The thread it continues; `None` begins one.
    pub(super) thread_id: Option<ThreadId>,
    /// The message it answers.
    pub(super) in_reply_to: Option<MessageId>,
    /// The messages before it, oldest first.
    pub(super) references: Vec<MessageId>,
    /// The draft that the letter was, in the revision that was claimed for sending it. It goes in the very unit of work
    /// that stores the message, so that it can never be sent twice.
    pub(super) draft: Option<ClaimedDraft>,
    /// The claim of the key that makes the send repeatable. Its answer is kept in that very unit of work, too.
    pub(super) claim: Option<SendClaim>,
}

/// Sends a letter from an inbox, and records when it is refused for a recipient. The caller's permission and reach were
/// checked before.
pub(super) async fn submit(
    app: &App,
    caller: &Caller,
    inbox: &Inbox,
    letter: Letter,
    place: Place,
) -> Result<Sent, Error> {
    rejection::recorded(app, inbox, attempt(app, caller, inbox, letter, place).await).await
}

/// Sends a letter from an inbox; what a refusal leaves behind is the affair of whoever asked.
pub(super) async fn attempt(
    app: &App,
    caller: &Caller,
    inbox: &Inbox,
    letter: Letter,
    place: Place,
) -> Result<Sent, Error> {
    let (recipients, labels) = letter::check(&letter)?;
    let now = app.clock.now();
    let message_id = MessageId::minted(app.random.uuid_at(now), inbox.inbox_id.domain());
    let bcc: Vec<String> = letter.bcc.iter().map(ToString::to_string).collect();
    // Nothing is fetched for somebody who may not send it anyway.
    suspension::require_sending(&caller.organization, inbox)?;
    homes::refuse_lost(app, inbox).await?;
    recipients::allow(&caller.organization, &recipients)?;
    let homes = check_recipients(app, inbox, &recipients).await?;
    let (raw, parsed, _held) = write(app, caller, inbox, letter, &place, &message_id, now).await?;
    let returns_to = reports::return_domain(app, inbox).await?;
    let (inbox, actor) = (inbox.clone(), caller.actor.clone());
    let submission =
        Submission { inbox, actor, labels, bcc, recipients, homes, returns_to, message_id, raw, parsed, place, now };
    app.waiting.submissions.store(app, submission).await
}

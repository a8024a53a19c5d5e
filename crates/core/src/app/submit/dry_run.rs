//! Dry run of a send: the same checks and the same composition, without any effect.

use super::caps::SendAllowance;
use super::fetched::{free_reads, require_permitted};
use super::recipient_policy::{RecipientVerdict, first_refusal, judge_recipients};
use super::store_batch::Submission;
use super::write::sent_fetch;
use super::{Place, admission, compose, require_able, store_batch};
use crate::Error;
use crate::app::App;
use crate::app::letter::{self, Letter};
use crate::model::{Caller, Inbox, Message, PolicyVerdict, ThreadId};
use crate::rules::recipients;

/// Result of a dry run.
#[derive(Debug)]
pub struct DryRun {
    /// The composed message. Its id names nothing.
    pub message: Message,
    /// Thread that the message continues.
    pub thread_id: Option<ThreadId>,
    /// All recipients, each with its refusal.
    pub recipients: Vec<RecipientVerdict>,
    /// Verdict of each rule of the policies that the message touches.
    pub rules: Vec<PolicyVerdict>,
    /// Whether a policy would hold the message.
    pub is_held: bool,
    /// Refusal that the send would return for its recipients, quotas, budgets or policies.
    pub refusal: Option<Error>,
    /// Rest of the limits of the organization.
    pub allowance: SendAllowance,
}

/// Returns the result that a send would have. Stores nothing, sends nothing, fetches nothing and appends no event.
///
/// # Errors
/// The errors of [`super::attempt`], except those in [`DryRun::refusal`].
pub(in crate::app) async fn dry_run(
    app: &App,
    caller: &Caller,
    inbox: &Inbox,
    letter: Letter,
    place: Place,
) -> Result<DryRun, Error> {
    let (recipients, labels) = letter::check(&letter)?;
    let leaves_at = letter.time.due_at(app.clock.now())?;
    require_able(app, caller, inbox).await?;
    app.waiting.free_verdicts.count(&inbox.inbox_id, app.clock.now())?;
    let (mut verdicts, homes) = judge_recipients(app, inbox, &recipients).await?;
    for verdict in &mut verdicts {
        let one = std::slice::from_ref(&verdict.address);
        if let Err(unverified) = recipients::require_allowed(&caller.organization, one) {
            verdict.refusal = Some(unverified);
        }
    }
    let reads = free_reads(caller);
    require_permitted(app, &sent_fetch(caller, inbox, &place), &letter.attachments, reads).await?;
    let letter = letter.unfetched().unwrap_or(letter);
    let (submission, _share) =
        Box::pin(compose(app, caller, inbox, letter, place, (recipients, labels, homes))).await?;
    let submission = Submission { reads, leaves_at, ..submission };
    let decision = admission::decide_dry(app, &submission).await?;
    let thread_id = decision.thread_id.unwrap_or_else(|| app.mint(submission.now));
    let refusal = first_refusal(&verdicts).or(decision.refusal);
    Ok(DryRun {
        message: store_batch::message_of(app, &submission, thread_id),
        thread_id: decision.thread_id,
        rules: decision.rules,
        is_held: decision.is_held && refusal.is_none(),
        refusal,
        recipients: verdicts,
        allowance: decision.allowance,
    })
}

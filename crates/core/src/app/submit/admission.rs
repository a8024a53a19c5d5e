//! Admission: the decision about each message under the locks of its batch.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use time::{Duration, OffsetDateTime};

use super::caps::{Caps, SendAllowance};
use super::hold::hold;
use super::policy::{BatchPolicies, Judged};
use super::recent::SendPair;
use super::store_batch::{Approver, Submission};
use crate::app::audit::{self, AuditChange};
use crate::app::contention::{is_contention, retried};
use crate::app::{App, inboxes, standing};
use crate::model::{Actor, AuditAction, Inbox, InboxId, MessageId, PolicyVerdict, SendResult, Thread, ThreadId};
use crate::ports::{Destination, StoreError, ThreadKey, Tx};
use crate::rules::approval;
use crate::rules::loops::{self, ExhaustedLoopBudget};
use crate::rules::sending_policy::{self, Decision};
use crate::{Error, PolicyError, Resource};

/// A message that passed all rules, or that a policy holds.
pub(super) enum Admitted<'a> {
    /// The thread that it continues, and its pairs for the hourly budgets.
    Leaving { thread: Option<&'a Thread>, pairs: Vec<SendPair> },
    /// Its draft is stored.
    Held(SendResult),
    /// A policy holds it, and its attachments are not prepared. Nothing is stored.
    Unprepared,
}

/// Thread that a message continues, and its pairs for the hourly budgets.
type Permitted<'a> = (Option<&'a Thread>, Vec<SendPair>);

/// Rows that decide about the messages of a batch, read under its locks.
pub(super) struct Admission<'a> {
    app: &'a App,
    ground: Ground,
    policies: BatchPolicies,
    now: OffsetDateTime,
}

impl<'a> Admission<'a> {
    pub(super) async fn lock(
        app: &'a App,
        tx: &mut dyn Tx,
        submissions: &[&Submission],
        now: OffsetDateTime,
    ) -> Result<Self, Error> {
        let ground = Ground::of(app, tx, submissions).await?;
        let messages: Vec<Judged<'_>> = submissions.iter().map(|submission| Judged::from(*submission)).collect();
        let policies = BatchPolicies::read(tx, &messages).await?;
        Ok(Self { app, ground, policies, now })
    }

    /// Decides about a message: by quotas, the state of its inbox and thread, loop budgets, then policies. A held message
    /// is stored as a draft, once its attachments are prepared.
    pub(super) async fn decide(
        &self,
        tx: &mut dyn Tx,
        caps: &Caps,
        counted: &[SendPair],
        submission: &Submission,
    ) -> Result<Admitted<'_>, Error> {
        let permitted = self.permit(caps, counted, submission)?;
        let rules = self.verdicts(tx, submission).await?;
        self.apply(tx, caps, submission, permitted, rules).await
    }

    /// Returns the thread that a message continues and its pairs for the hourly budgets, or refuses the message by anything
    /// but policies.
    fn permit(&self, caps: &Caps, counted: &[SendPair], submission: &Submission) -> Result<Permitted<'_>, Error> {
        // A message that a person approved is theirs.
        if submission.approved_by.is_none() {
            self.policies.require_live_key(&submission.actor, &submission.sender)?;
        }
        caps.allow(submission.inbox.organization_id)?;
        if let Some(refusal) = self.ground.unapproved.get(&submission.message_id) {
            return Err(refusal.clone());
        }
        let thread = self.ground.place(submission)?;
        Ok((thread, pairs_within_budget(self.app, submission, counted)?))
    }

    /// Applies the verdicts of the policies to a message that all other rules permit.
    async fn apply<'b>(
        &self,
        tx: &mut dyn Tx,
        caps: &Caps,
        submission: &Submission,
        (thread, pairs): Permitted<'b>,
        rules: Vec<PolicyVerdict>,
    ) -> Result<Admitted<'b>, Error> {
        let organization_id = submission.inbox.organization_id;
        match sending_policy::decide(rules) {
            Decision::Hold(rule) if submission.approved_by.is_none() => {
                let held = hold(self.app, tx, caps, submission, rule).await?;
                return Ok(held.map_or(Admitted::Unprepared, Admitted::Held));
            }
            Decision::Refuse(rule) => return Err(PolicyError::Refused(Box::new(rule)).into()),
            Decision::Allow | Decision::Hold(_) => {}
        }
        if let Some(charge) = caps.owner_charge(organization_id)
            && let Some(until) = tx.mail_quotas().charge(&charge, self.now).await?
        {
            return Err(Error::OwnerMailLimitReached(until));
        }
        if let Some(Approver { caller, draft }) = &submission.approved_by {
            audit::record(self.app, tx, caller, AuditChange::created(AuditAction::DraftApproved, draft.as_ref()))
                .await?;
        }
        self.policies.count(tx, &submission.into(), self.now).await?;
        Ok(Admitted::Leaving { thread, pairs })
    }

    /// Returns the verdict of each rule that a message touches.
    async fn verdicts(&self, tx: &mut dyn Tx, submission: &Submission) -> Result<Vec<PolicyVerdict>, StoreError> {
        self.policies.verdicts(self.app, tx, &submission.into(), self.now).await
    }
}

/// Separates failures of storage, which end the unit of work, from the refusal of one message.
pub(super) fn outside_storage<T>(outcome: Result<T, Error>) -> Result<Result<T, Error>, Error> {
    match outcome {
        Err(failure @ (Error::Store(_) | Error::SendKeyInUse(_))) => Err(failure),
        outcome => Ok(outcome),
    }
}

/// Decision about a message of a dry run.
pub(super) struct DryDecision {
    /// Thread that the message would continue.
    pub(super) thread_id: Option<ThreadId>,
    /// Verdicts of the policies.
    pub(super) rules: Vec<PolicyVerdict>,
    /// Whether a policy would hold the message.
    pub(super) is_held: bool,
    pub(super) refusal: Option<Error>,
    pub(super) allowance: SendAllowance,
}

/// Decides about a message without storing anything.
///
/// # Errors
/// The failure of the unit of work, and [`Error::NotFound`] for the organization.
pub(super) async fn decide_dry(app: &App, submission: &Submission) -> Result<DryDecision, Error> {
    // On the heap: the future of a decision is large.
    Box::pin(retried(is_contention, || decide_dry_once(app, submission))).await
}

async fn decide_dry_once(app: &App, submission: &Submission) -> Result<DryDecision, Error> {
    let now = app.clock.now();
    let organization_id = submission.inbox.organization_id;
    // The unit of work is rolled back when it is dropped.
    let mut tx = app.store.begin().await?;
    let caps = Caps::lock(tx.as_mut(), BTreeSet::from([organization_id]), now).await?;
    let allowance = caps.allowance(organization_id)?;
    let admission = Admission::lock(app, tx.as_mut(), &[submission], now).await?;
    let rules = admission.verdicts(tx.as_mut(), submission).await?;
    let decided = match admission.permit(&caps, &[], submission) {
        Ok(permitted) => admission.apply(tx.as_mut(), &caps, submission, permitted, rules.clone()).await,
        Err(refusal) => Err(refusal),
    };
    let (thread_id, is_held, refusal) = match outside_storage(decided)? {
        Ok(Admitted::Leaving { thread, .. }) => (thread.map(|thread| thread.thread_id), false, None),
        // Behind `Unprepared`, only a calendar change and an idempotency key refuse. A dry run has neither.
        Ok(Admitted::Held(_) | Admitted::Unprepared) => (submission.place.thread_id, true, None),
        Err(refusal) => (submission.place.thread_id, false, Some(refusal)),
    };
    Ok(DryDecision { thread_id, rules, is_held, refusal, allowance })
}

/// Returns the pairs of a message for the hourly budgets, or refuses the message.
fn pairs_within_budget(app: &App, submission: &Submission, counted: &[SendPair]) -> Result<Vec<SendPair>, Error> {
    let Submission { inbox, actor, recipients, now, leaves_at, .. } = submission;
    let is_of_later_hour = leaves_at.is_some_and(|at| at > *now + Duration::hours(1));
    match app.settings.limits.get().loop_budget {
        Some(budget) if loops::applies_to(actor) && !is_of_later_hour => {
            app.waiting.recent_sends.allow(&inbox.inbox_id, recipients, budget, *now, counted)
        }
        _ => Ok(Vec::new()),
    }
}

/// Locked rows of a batch: inboxes and threads.
struct Ground {
    inboxes: BTreeSet<InboxId>,
    /// Existing inboxes that were paused after submission.
    paused: BTreeSet<InboxId>,
    /// Approved messages of approvers that may approve no more.
    unapproved: BTreeMap<MessageId, Error>,
    threads: BTreeMap<ThreadId, Thread>,
    /// Correspondents with an exhausted loop budget, by thread.
    spent: BTreeMap<ThreadId, Vec<ExhaustedLoopBudget>>,
}

impl Ground {
    async fn of(app: &App, tx: &mut dyn Tx, submissions: &[&Submission]) -> Result<Self, Error> {
        let mut ground = Self {
            inboxes: BTreeSet::new(),
            paused: BTreeSet::new(),
            unapproved: BTreeMap::new(),
            threads: BTreeMap::new(),
            spent: BTreeMap::new(),
        };
        if submissions.is_empty() {
            return Ok(ground);
        }
        let wanted: HashSet<Destination> = submissions.iter().map(|one| inboxes::destination(&one.inbox)).collect();
        let wanted: Vec<Destination> = wanted.into_iter().collect();
        ground.inboxes = ids_of(tx.inboxes().lock_sending(&wanted).await?);
        let others: Vec<Destination> =
            wanted.into_iter().filter(|wanted| !ground.inboxes.contains(&wanted.inbox_id)).collect();
        if !others.is_empty() {
            ground.paused = ids_of(tx.inboxes().hold(&others).await?);
        }
        for (submission, approver) in approved(submissions) {
            if let Err(refusal) = outside_storage(renewed_approver(app, tx, approver, &submission.actor).await)? {
                ground.unapproved.insert(submission.message_id.clone(), refusal);
            }
        }
        let threads = threads_of(submissions);
        if !threads.is_empty() {
            let locked = tx.threads().lock_across(&threads).await?;
            ground.threads.extend(locked.into_iter().map(|thread| (thread.thread_id, thread)));
        }
        for submission in submissions.iter().filter(|submission| loops::applies_to(&submission.actor)) {
            if let Some(thread_id) = submission.place.thread_id.filter(|id| ground.threads.contains_key(id)) {
                ground.spent.insert(thread_id, spent_budgets(tx, submission, thread_id).await?);
            }
        }
        Ok(ground)
    }

    /// Returns the thread that a message continues. A draft may outlive its thread; its message then starts a new one.
    fn place(&self, submission: &Submission) -> Result<Option<&Thread>, Error> {
        let Submission { inbox, place, .. } = submission;
        if self.paused.contains(&inbox.inbox_id) {
            return Err(Error::InboxPaused(inbox.inbox_id.clone()));
        }
        if !self.inboxes.contains(&inbox.inbox_id) {
            return Err(Error::not_found(Resource::Inbox, &inbox.inbox_id));
        }
        let Some(thread_id) = place.thread_id else { return Ok(None) };
        let thread = self.threads.get(&thread_id);
        if thread.is_none() && place.draft.is_none() {
            return Err(Error::not_found(Resource::Thread, thread_id));
        }
        loops::require_loop_budget(self.spent.get(&thread_id).cloned().unwrap_or_default())?;
        Ok(thread)
    }
}

fn ids_of(destinations: Vec<Destination>) -> BTreeSet<InboxId> {
    destinations.into_iter().map(|destination| destination.inbox_id).collect()
}

/// Returns the approved messages with their approvers, in the order in which members are locked.
fn approved<'s>(submissions: &[&'s Submission]) -> Vec<(&'s Submission, &'s Approver)> {
    let approved = submissions.iter().filter_map(|one| Some((*one, one.approved_by.as_ref()?)));
    let mut approved: Vec<_> = approved.collect();
    approved.sort_by_key(|(_, approver)| approver.caller.member.as_ref().map(|person| person.member_id));
    approved
}

/// Refuses an approval by a person that was removed, or has lost the right, since the approval began.
async fn renewed_approver(app: &App, tx: &mut dyn Tx, approver: &Approver, author: &Actor) -> Result<(), Error> {
    let authors = [author, &approver.draft.updated_by];
    approval::require_approver(&*standing::renewed(app, tx, &approver.caller).await?, authors)
}

/// Returns the threads that messages continue.
fn threads_of(submissions: &[&Submission]) -> Vec<ThreadKey> {
    let key = |one: &&Submission| {
        let Inbox { organization_id, inbox_id, .. } = one.inbox.clone();
        Some(ThreadKey { organization_id, inbox_id, thread_id: one.place.thread_id? })
    };
    submissions.iter().filter_map(key).collect()
}

/// Returns the recipients that received too many messages in a thread. The organization's lock makes the count exact.
async fn spent_budgets(
    tx: &mut dyn Tx,
    submission: &Submission,
    thread_id: ThreadId,
) -> Result<Vec<ExhaustedLoopBudget>, StoreError> {
    let Submission { inbox, recipients, now, .. } = submission;
    let after = *now - loops::THREAD_WINDOW;
    let Inbox { organization_id, inbox_id, .. } = inbox;
    tx.messages().spent_budgets(*organization_id, inbox_id, thread_id, recipients, after, loops::THREAD_BUDGET).await
}

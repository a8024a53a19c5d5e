//! The unit of work that stores a batch of submissions.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use inboxd_mail::{EmailAddress, ParsedMail};
use time::OffsetDateTime;

use super::Place;
use super::caps::Caps;
use super::content::ContentFacts;
use super::hold::{approved_event, hold};
use super::policy::BatchPolicies;
use super::queue::{queued, sent_event};
use super::recent::SendPair;
use crate::app::deliver::Departures;
use crate::app::ingest::{self, Origin};
use crate::app::label_history::{Relabelled, history_of};
use crate::app::{App, inboxes, mail_limits};
use crate::model::{
    Actor, Inbox, InboxId, Labels, Locality, Message, MessageId, MessageItem, NewMail, NewMessage, OrganizationId,
    QueuedMail, SendResult, Thread, ThreadId, UsageChange,
};
use crate::ports::{Destination, StoreError, ThreadKey, Tx};
use crate::rules::loops::ExhaustedLoopBudget;
use crate::rules::sending_policy::Decision;
use crate::rules::{labels, loops};
use crate::{Error, PolicyError, Resource};

/// Composed message, to be sent if the quotas permit it.
pub(super) struct Submission {
    pub(super) inbox: Inbox,
    pub(super) actor: Actor,
    pub(super) labels: Labels,
    pub(super) bcc: Vec<String>,
    pub(super) recipients: Vec<EmailAddress>,
    pub(super) homes: Vec<Locality>,
    /// Domain of the return path.
    pub(super) returns_to: String,
    pub(super) message_id: MessageId,
    /// Thread that the message continues, or that it begins.
    pub(super) thread_id: ThreadId,
    pub(super) raw: Vec<u8>,
    pub(super) parsed: ParsedMail,
    pub(super) content: ContentFacts,
    pub(super) place: Place,
    /// Person that approved the message. Policies then hold it no more.
    pub(super) approved_by: Option<Actor>,
    pub(super) now: OffsetDateTime,
}

/// Stores submissions, at most one of each thread, in one unit of work and returns their results. A refused submission
/// stores nothing.
///
/// # Errors
/// The failure of the unit of work, which has then stored nothing.
pub(super) async fn store_batch(
    app: &App,
    submissions: &[&Submission],
) -> Result<Vec<Result<SendResult, Error>>, Error> {
    let now = app.clock.now();
    let mut tx = app.store.begin().await?;
    let organizations: BTreeSet<OrganizationId> = submissions.iter().map(|one| one.inbox.organization_id).collect();
    let mut caps = Caps::lock(tx.as_mut(), organizations, now).await?;
    let within: Vec<&Submission> =
        submissions.iter().copied().filter(|one| caps.allow(one.inbox.organization_id).is_ok()).collect();
    let ground = Ground::of(tx.as_mut(), &within).await?;
    let mut answers = Vec::with_capacity(submissions.len());
    let mut letters = Vec::with_capacity(within.len());
    let mut counted = Vec::new();
    let policies = BatchPolicies::read(tx.as_mut(), &within).await?;
    let mut has_held = false;
    let admission = Admission { app, ground: &ground, policies: &policies, now };
    for submission in submissions {
        // Boxed, so that the future of a batch does not have the size of a held message.
        match outside_storage(Box::pin(admission.decide(tx.as_mut(), &caps, &counted, submission)).await)? {
            Ok(Admitted::Leaving { thread, pairs }) => {
                counted.extend(pairs);
                caps.count(submission.inbox.organization_id, submission.raw.len());
                let letter = Accepted::new(app, submission, thread);
                answers.push(Ok(letter.sent()));
                letters.push(letter);
            }
            Ok(Admitted::Held(held)) => {
                has_held = true;
                answers.push(Ok(held));
            }
            Err(refusal) => answers.push(Err(refusal)),
        }
    }
    if letters.is_empty() {
        if has_held {
            tx.commit().await?;
        }
        return Ok(answers);
    }
    let mut departures = Departures::new(app, now);
    let queued = queue(app, &letters, &mut departures)?;
    let freed = take_place(app, tx.as_mut(), &letters).await?;
    let mut new = NewMail { queued, sends: caps.sends(), ..new_mail(app, letters) };
    new.usage.extend(freed);
    departures.commit_with(tx, &new).await?;
    app.waiting.recent_sends.record(counted, now);
    if new.queued.iter().any(|mail| mail.claim_id.is_none()) {
        app.wake.outgoing();
    }
    Ok(answers)
}

/// A message that passed all rules, or that a policy holds.
enum Admitted<'a> {
    Leaving { thread: Option<&'a Thread>, pairs: Vec<SendPair> },
    Held(SendResult),
}

/// What decides about the messages of a batch.
struct Admission<'a> {
    app: &'a App,
    ground: &'a Ground,
    policies: &'a BatchPolicies,
    now: OffsetDateTime,
}

impl<'a> Admission<'a> {
    /// Decides about a message: by quotas, the state of its inbox and thread, loop budgets, then policies. A held message
    /// is stored as a draft.
    async fn decide(
        &self,
        tx: &mut dyn Tx,
        caps: &Caps,
        counted: &[SendPair],
        submission: &Submission,
    ) -> Result<Admitted<'a>, Error> {
        let organization_id = submission.inbox.organization_id;
        caps.allow(organization_id)?;
        let thread = self.ground.place(submission)?;
        let pairs = pairs_within_budget(self.app, submission, counted)?;
        match self.policies.decide(tx, submission, self.now).await? {
            Decision::Hold { rule } if submission.approved_by.is_none() => {
                return hold(self.app, tx, caps, submission, rule).await.map(Admitted::Held);
            }
            Decision::Refuse { rule } => return Err(PolicyError::Refused(Box::new(rule)).into()),
            Decision::Allow | Decision::Hold { .. } => {}
        }
        if let Some(charge) = caps.owner_charge(organization_id) {
            mail_limits::charge(tx, &charge, "to this mailbox", self.now).await?;
        }
        self.policies.count(tx, submission, self.now).await?;
        Ok(Admitted::Leaving { thread, pairs })
    }
}

/// Separates failures of storage, which end the unit of work, from the refusal of one message.
fn outside_storage<T>(outcome: Result<T, Error>) -> Result<Result<T, Error>, Error> {
    match outcome {
        Err(failure @ (Error::Store(_) | Error::SendKeyInUse(_))) => Err(failure),
        outcome => Ok(outcome),
    }
}

/// Returns the pairs of a message for the hourly budgets, or refuses the message.
fn pairs_within_budget(app: &App, submission: &Submission, counted: &[SendPair]) -> Result<Vec<SendPair>, Error> {
    let Submission { inbox, actor, recipients, now, .. } = submission;
    match app.settings.loop_budget {
        Some(budget) if loops::applies_to(actor) => {
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
    threads: BTreeMap<ThreadId, Thread>,
    /// Correspondents with an exhausted loop budget, by thread.
    spent: BTreeMap<ThreadId, Vec<ExhaustedLoopBudget>>,
}

impl Ground {
    async fn of(tx: &mut dyn Tx, submissions: &[&Submission]) -> Result<Self, StoreError> {
        let mut ground = Self {
            inboxes: BTreeSet::new(),
            paused: BTreeSet::new(),
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

/// Returns the id of the thread that a message begins. One whose thread was deleted begins another.
fn begun_thread(app: &App, submission: &Submission) -> ThreadId {
    if submission.place.thread_id.is_some() { app.mint(submission.now) } else { submission.thread_id }
}

/// Accepted message in the form in which it is stored.
struct Accepted<'a> {
    submission: &'a Submission,
    message: Message,
    /// Thread that the message continues, in its earlier state.
    thread: Option<&'a Thread>,
}

impl<'a> Accepted<'a> {
    fn new(app: &App, submission: &'a Submission, thread: Option<&'a Thread>) -> Self {
        let origin = Origin {
            organization_id: submission.inbox.organization_id,
            inbox_id: submission.inbox.inbox_id.clone(),
            thread_id: thread.map_or_else(|| begun_thread(app, submission), |thread| thread.thread_id),
            message_id: submission.message_id.clone(),
            labels: submission.labels.clone(),
            bcc: submission.bcc.clone(),
            sent_by: Some(submission.actor.clone()),
            recipient: None,
            size: submission.raw.len(),
            now: submission.now,
        };
        Self { submission, message: ingest::message(app, &submission.parsed, origin), thread }
    }

    fn sent(&self) -> SendResult {
        let MessageItem { message_id, thread_id, .. } = &self.message.item;
        SendResult { message_id: message_id.clone(), thread_id: *thread_id, held: None }
    }

    /// Returns the labels that the caller set when sending. Labels of the service have no actor and are left out.
    fn named_labels(&self) -> Relabelled {
        let item = &self.message.item;
        let of_service = item.labels.iter().filter(|label| labels::SYSTEM_LABELS.contains(label)).collect();
        Relabelled { message_id: item.message_id.clone(), before: of_service, after: item.labels.clone() }
    }
}

/// Completes the drafts and idempotency keys of messages, and records the label history. An expired claim fails the
/// whole unit of work, because parts of its message may be written by then. Returns the storage that the drafts free.
async fn take_place(
    app: &App,
    tx: &mut dyn Tx,
    letters: &[Accepted<'_>],
) -> Result<Vec<(OrganizationId, InboxId, UsageChange)>, Error> {
    let mut freed = Vec::new();
    for Submission { inbox, place, .. } in letters.iter().map(|letter| letter.submission) {
        let Some(draft) = &place.draft else { continue };
        // `None` means that the draft was sent, changed or deleted in the meantime.
        let size = tx.drafts().remove(draft).await?.ok_or(Error::DraftSending(draft.draft_id))?;
        freed.push((inbox.organization_id, inbox.inbox_id.clone(), UsageChange::resized(size, 0)));
    }
    for letter in letters {
        let Submission { place, now, .. } = letter.submission;
        if let Some(claim) = &place.claim
            && !tx.idempotency_keys().keep(claim, &letter.sent(), *now).await?
        {
            // Another request holds the key, or has already sent.
            return Err(Error::SendKeyInUse(claim.key.clone()));
        }
    }
    let mut history = Vec::new();
    for letter in letters {
        let Submission { inbox, actor, now, .. } = letter.submission;
        history.extend(history_of(app, inbox, actor, &[letter.named_labels()], *now));
    }
    if !history.is_empty() {
        tx.label_history().append(&history, app.settings.row_limits.label_events).await?;
    }
    Ok(freed)
}

/// Returns the stored form of messages with their threads, events and usage.
fn new_mail(app: &App, letters: Vec<Accepted<'_>>) -> NewMail {
    let mut new = NewMail::default();
    for Accepted { submission, message, thread } in letters {
        let Submission { inbox, raw, .. } = submission;
        match thread {
            Some(thread) => new.joined.push(thread.clone().joined_by(&message.item)),
            None => new.begun.push(Thread::started_by(&message.item)),
        }
        new.events.extend(approved_event(app, submission));
        new.events.push(sent_event(app, submission, message.item.thread_id));
        let change = UsageChange {
            storage_bytes: i64::try_from(raw.len()).unwrap_or(i64::MAX),
            messages: 1,
            threads: i64::from(thread.is_none()),
        };
        new.usage.push((inbox.organization_id, inbox.inbox_id.clone(), change));
        let search_text = ingest::search_text(&message);
        let (header_message_id, digest) = (None, None);
        new.messages.push(NewMessage { message, raw: raw.clone(), header_message_id, digest, search_text });
    }
    new
}

/// Returns the queue entries of messages, and claims those that can be dispatched at once.
fn queue<'a>(
    app: &'a App,
    letters: &[Accepted<'a>],
    departures: &mut Departures<'a>,
) -> Result<Vec<QueuedMail>, Error> {
    let mut mails = Vec::with_capacity(letters.len());
    for Accepted { submission, message, .. } in letters {
        for mut mail in queued(app, submission, message.item.thread_id)? {
            departures.claim(&mut mail, &submission.raw);
            mails.push(mail);
        }
    }
    Ok(mails)
}

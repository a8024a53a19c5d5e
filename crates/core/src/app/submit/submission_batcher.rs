//! Submission batches: messages of one organization that are sent at the same time are stored in one unit of work.

use std::collections::BTreeMap;
use std::future::ready;

use futures_util::future::join_all;
use inboxd_batcher::{BatchLimits, Batcher, LeaderWaits};

use super::hold::{HeldAttachments, prepare};
use super::store_batch::{Submission, store_batch};
use crate::Error;
use crate::app::App;
use crate::app::contention::{is_contention, retried};
use crate::app::permits::Permits;
use crate::model::{Event, EventBody, OrganizationId, SendResult, StoredBlob, ThreadId};
use crate::ports::{StoreError, SubmissionKey};

/// Maximum of concurrent units of work; each organization has one at most.
const MAX_BATCHES: usize = 64;
/// Maximum of messages and bytes in one unit of work.
const BATCH_LIMITS: BatchLimits = BatchLimits { jobs: 64, weight: 16 * 1024 * 1024 };

/// Result of a submission in its unit of work.
enum Stored {
    /// The message is stored, or its draft if a policy holds it.
    Done(SendResult),
    /// The commit was undecided, for this reason, and its verification found nothing.
    Absent(String),
    /// A policy holds the message, and its attachments are not prepared. Nothing is stored.
    Unprepared(Box<Submission>),
}

impl Stored {
    /// Returns whether rows may refer to the new objects. `refers` decides about a stored message.
    fn may_refer(&self, refers: impl FnOnce(&SendResult) -> bool) -> bool {
        match self {
            Self::Done(sent) => refers(sent),
            // The search for objects without rows deletes them; a wrong deletion would lose mail.
            Self::Absent(_) => true,
            Self::Unprepared(_) => false,
        }
    }
}

/// Batcher of submissions with a shard for each organization.
pub(in crate::app) struct SubmissionBatcher {
    batcher: Batcher<OrganizationId, Submission, Result<Stored, Error>>,
    batches: Permits,
}

impl Default for SubmissionBatcher {
    fn default() -> Self {
        Self { batcher: Batcher::new(BATCH_LIMITS), batches: Permits::new(MAX_BATCHES) }
    }
}

impl SubmissionBatcher {
    /// Stores a submission in one unit of work with others of its organization. A large raw message is stored outside its
    /// row before, and deleted unless the message or its draft may be stored.
    pub(super) async fn store(&self, app: &App, mut submission: Submission) -> Result<SendResult, Error> {
        let raw = std::mem::take(&mut submission.raw);
        (submission.raw, submission.raw_blob) = app.upload(submission.inbox.organization_id, raw).await?;
        let (blob, message_id) = (submission.raw_blob.clone(), submission.message_id.clone());
        let stored = self.store_uploaded(app, submission).await;
        // Another id is that of the first message of an idempotency key.
        let refers = |stored: &Stored| stored.may_refer(|sent| sent.message_id == message_id);
        app.discard_unless_stored(blob.as_ref().as_slice(), &stored, refers).await;
        match stored? {
            Stored::Done(sent) => Ok(sent),
            Stored::Absent(cause) => Err(StoreError::Unavailable(cause).into()),
            Stored::Unprepared(_) => Err(Error::Internal("prepared attachments are missing".to_owned())),
        }
    }

    /// Stores a submission whose raw message is uploaded. One that a policy holds is stored again with its attachments, which
    /// are uploaded between the units of work.
    async fn store_uploaded(&self, app: &App, submission: Submission) -> Result<Stored, Error> {
        let mut submission = match self.execute(app, submission).await? {
            Stored::Unprepared(submission) => submission,
            stored => return Ok(stored),
        };
        prepare(app, &mut submission).await?;
        let message_id = submission.message_id.clone();
        let objects = submission.attachments.as_ref().map(HeldAttachments::objects).unwrap_or_default();
        let objects: Vec<StoredBlob> = objects.into_iter().cloned().collect();
        let stored = self.execute(app, *submission).await;
        // Meanwhile a person may have changed the policy, so that the message is sent.
        let refers = |stored: &Stored| stored.may_refer(|sent| sent.held.is_some() && sent.message_id == message_id);
        app.discard_unless_stored(&objects.iter().collect::<Vec<_>>(), &stored, refers).await;
        stored
    }

    /// Runs a submission in a batch.
    async fn execute(&self, app: &App, submission: Submission) -> Result<Stored, Error> {
        let (organization_id, weight) = (submission.inbox.organization_id, submission.raw.len());
        let undecided = submission.undecided("the batch of this message was cancelled".to_owned());
        let waits = LeaderWaits { linger: ready(()), permit: self.batches.acquire() };
        let work = |submissions, permit| async move {
            let stored = store_all(app, submissions).await;
            drop(permit);
            stored
        };
        let stored = self.batcher.execute_after(organization_id, (submission, weight), waits, work);
        // Boxed, so that the future of a follower does not have the size of a whole batch.
        let stored = Box::pin(stored).await;
        if let Ok(stored) = stored {
            return stored;
        }
        let mut verified = verify_commits(app, vec![undecided]).await;
        verified.pop().unwrap_or_else(|| Err(Error::Internal("message verified without a result".to_owned())))
    }
}

/// Stores submissions and returns their results in the same order. After an outage no further round waits for the database,
/// and one verification decides all undecided commits.
async fn store_all(app: &App, waiting: Vec<Submission>) -> Vec<Result<Stored, Error>> {
    let mut answers = BTreeMap::new();
    let mut outage: Option<String> = None;
    for round in rounds(&waiting) {
        let (places, submissions): (Vec<usize>, Vec<&Submission>) = round.into_iter().unzip();
        let stored: Vec<Result<Option<Stored>, Error>> = match &outage {
            Some(cause) => submissions.iter().map(|_| Err(StoreError::Unavailable(cause.clone()).into())).collect(),
            None => store_round(app, &submissions).await,
        };
        outage = outage.or_else(|| stored.iter().find_map(outage_of));
        answers.extend(places.into_iter().zip(stored));
    }
    let unverified = |(place, answer): (&usize, &Result<Option<Stored>, Error>)| match answer {
        Err(Error::Store(StoreError::Undecided(cause))) => {
            Some((*place, waiting.get(*place)?.undecided(cause.clone())))
        }
        _ => None,
    };
    let (places, undecided): (Vec<usize>, Vec<UndecidedSubmission>) = answers.iter().filter_map(unverified).unzip();
    let verified = verify_commits(app, undecided).await.into_iter().map(|stored| stored.map(Some));
    answers.extend(places.into_iter().zip(verified));
    let result = |(submission, answer): (Submission, Result<Option<Stored>, Error>)| {
        answer.map(|stored| stored.unwrap_or_else(|| Stored::Unprepared(Box::new(submission))))
    };
    waiting.into_iter().zip(answers.into_values()).map(result).collect()
}

/// Returns the cause of a result that an outage of the database explains.
fn outage_of(answer: &Result<Option<Stored>, Error>) -> Option<String> {
    match answer {
        Err(Error::Store(StoreError::Unavailable(cause) | StoreError::Undecided(cause))) => Some(cause.clone()),
        _ => None,
    }
}

/// Splits submissions into rounds, with their indices. The loop budget of a thread counts stored messages, so a round
/// has at most one message of each thread.
fn rounds(waiting: &[Submission]) -> Vec<Vec<(usize, &Submission)>> {
    let mut rounds: Vec<Vec<(usize, &Submission)>> = Vec::new();
    let mut of_thread: BTreeMap<ThreadId, usize> = BTreeMap::new();
    for (place, submission) in waiting.iter().enumerate() {
        let round = submission.place.thread_id.map_or(0, |thread_id| {
            let next = of_thread.entry(thread_id).or_default();
            std::mem::replace(next, *next + 1)
        });
        if rounds.len() <= round {
            rounds.push(Vec::new());
        }
        if let Some(round) = rounds.get_mut(round) {
            round.push((place, submission));
        }
    }
    rounds
}

/// Stores submissions in one unit of work. When it fails, each is stored alone, so that one failure does not affect the
/// others. Returns `None` for one that is not prepared.
async fn store_round(app: &App, submissions: &[&Submission]) -> Vec<Result<Option<Stored>, Error>> {
    if let [submission] = submissions {
        return vec![store_alone(app, submission).await];
    }
    match store_batch(app, submissions).await {
        Ok(answers) => answers.into_iter().map(|answer| answer.map(|sent| sent.map(Stored::Done))).collect(),
        Err(Error::Store(error @ (StoreError::Unavailable(_) | StoreError::Undecided(_)))) => {
            submissions.iter().map(|_| Err(error.clone().into())).collect()
        }
        Err(_) => join_all(submissions.iter().map(|submission| store_alone(app, submission))).await,
    }
}

async fn store_alone(app: &App, submission: &Submission) -> Result<Option<Stored>, Error> {
    let store = || async {
        let mut answers = store_batch(app, &[submission]).await?;
        answers.pop().unwrap_or_else(|| Err(Error::Internal("message stored without a result".to_owned())))
    };
    retried(is_contention, store).await.map(|sent| sent.map(Stored::Done))
}

/// A submission whose commit is undecided.
struct UndecidedSubmission {
    organization_id: OrganizationId,
    key: SubmissionKey,
    thread_id: ThreadId,
    cause: String,
}

impl Submission {
    fn undecided(&self, cause: String) -> UndecidedSubmission {
        UndecidedSubmission {
            organization_id: self.inbox.organization_id,
            key: SubmissionKey {
                inbox_id: self.inbox.inbox_id.clone(),
                message_id: self.message_id.clone(),
                submitted_at: self.now,
            },
            thread_id: self.thread_id,
            cause,
        }
    }
}

impl UndecidedSubmission {
    /// Returns the result that the event of the submission proves, or its absence.
    fn verified(self, app: &App, event: Option<Event>) -> Stored {
        let Some(event) = event else { return Stored::Absent(self.cause) };
        let held = match event.body {
            EventBody::Hold { draft_id, .. } => Some(draft_id),
            _ => None,
        };
        if held.is_none() {
            app.wake.outgoing();
        }
        let thread_id = event.thread_id.unwrap_or(self.thread_id);
        Stored::Done(SendResult { message_id: self.key.message_id, thread_id, held })
    }
}

/// Checks which undecided commits of one organization stored their messages, or their drafts. A stored message will be
/// delivered, so it must not be sent again. Its event proves it, because it outlives message and draft. The results are
/// in the same order, with [`StoreError::Undecided`] if that cannot be checked.
async fn verify_commits(app: &App, undecided: Vec<UndecidedSubmission>) -> Vec<Result<Stored, Error>> {
    let Some(first) = undecided.first() else { return Vec::new() };
    let organization_id = first.organization_id;
    let keys: Vec<SubmissionKey> = undecided.iter().map(|submission| submission.key.clone()).collect();
    match app.store.submission_events(organization_id, &keys).await {
        Ok(events) => {
            undecided.into_iter().zip(events).map(|(submission, event)| Ok(submission.verified(app, event))).collect()
        }
        Err(_) => undecided.into_iter().map(|submission| Err(StoreError::Undecided(submission.cause).into())).collect(),
    }
}

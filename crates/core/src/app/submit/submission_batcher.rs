//! Submission batches: messages of one organization that are sent at the same time are stored in one unit of work.

use std::collections::BTreeMap;
use std::future::ready;

use futures_util::future::join_all;
use inboxd_batcher::{BatchLimits, Batcher, LeaderWaits};

use super::store_batch::{Submission, store_batch};
use crate::Error;
use crate::app::App;
use crate::app::contention::{is_contention, retried};
use crate::app::permits::Permits;
use crate::model::{HidingLabels, Inbox, InboxId, MessageId, OrganizationId, SendResult, ThreadId};
use crate::ports::StoreError;

/// Maximum of concurrent units of work; each organization has one at most.
const MAX_BATCHES: usize = 64;
/// Maximum of messages and bytes in one unit of work.
const BATCH_LIMITS: BatchLimits = BatchLimits { jobs: 64, weight: 16 * 1024 * 1024 };

/// Batcher of submissions with a shard for each organization.
pub(in crate::app) struct SubmissionBatcher {
    batcher: Batcher<OrganizationId, Submission, Result<SendResult, Error>>,
    batches: Permits,
}

impl Default for SubmissionBatcher {
    fn default() -> Self {
        Self { batcher: Batcher::new(BATCH_LIMITS), batches: Permits::new(MAX_BATCHES) }
    }
}

impl SubmissionBatcher {
    /// Stores a submission in one unit of work with others of its organization.
    pub(super) async fn store(&self, app: &App, submission: Submission) -> Result<SendResult, Error> {
        let Inbox { organization_id, inbox_id, .. } = submission.inbox.clone();
        let (message_id, weight) = (submission.message_id.clone(), submission.raw.len());
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
        let cause = "the batch of this message was cancelled".to_owned();
        verify_commit(app, organization_id, &inbox_id, &message_id, cause).await
    }
}

/// Stores submissions and returns their results in the same order.
async fn store_all(app: &App, waiting: Vec<Submission>) -> Vec<Result<SendResult, Error>> {
    let mut answers = BTreeMap::new();
    for round in rounds(&waiting) {
        let (places, submissions): (Vec<usize>, Vec<&Submission>) = round.into_iter().unzip();
        answers.extend(places.into_iter().zip(store_round(app, &submissions).await));
    }
    answers.into_values().collect()
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
/// others.
async fn store_round(app: &App, submissions: &[&Submission]) -> Vec<Result<SendResult, Error>> {
    if let [submission] = submissions {
        return vec![store_alone(app, submission).await];
    }
    match store_batch(app, submissions).await {
        Ok(answers) => answers,
        Err(Error::Store(StoreError::Undecided(cause))) => {
            join_all(submissions.iter().map(|submission| submission.verify_commit(app, cause.clone()))).await
        }
        Err(Error::Store(error @ StoreError::Unavailable(_))) => {
            submissions.iter().map(|_| Err(error.clone().into())).collect()
        }
        Err(_) => join_all(submissions.iter().map(|submission| store_alone(app, submission))).await,
    }
}

async fn store_alone(app: &App, submission: &Submission) -> Result<SendResult, Error> {
    let store = || async {
        let mut answers = store_batch(app, &[submission]).await?;
        answers.pop().unwrap_or_else(|| Err(Error::Internal("message stored without a result".to_owned())))
    };
    match retried(is_contention, store).await {
        Err(Error::Store(StoreError::Undecided(cause))) => submission.verify_commit(app, cause).await,
        answer => answer,
    }
}

impl Submission {
    async fn verify_commit(&self, app: &App, cause: String) -> Result<SendResult, Error> {
        let Inbox { organization_id, inbox_id, .. } = &self.inbox;
        verify_commit(app, *organization_id, inbox_id, &self.message_id, cause).await
    }
}

/// Checks whether an undecided commit stored a message. A stored message will be delivered, so it must not be sent
/// again.
async fn verify_commit(
    app: &App,
    organization_id: OrganizationId,
    inbox_id: &InboxId,
    message_id: &MessageId,
    cause: String,
) -> Result<SendResult, Error> {
    let undecided = |_| StoreError::Undecided(cause.clone());
    let mut tx = app.store.begin().await.map_err(undecided)?;
    // The undecided unit of work holds this lock until it has ended.
    tx.accounts().lock(organization_id).await.map_err(undecided)?;
    // Frees the connection for the next read.
    tx.commit().await.map_err(undecided)?;
    let ids = std::slice::from_ref(message_id);
    let found = app.store.messages(organization_id, inbox_id, ids, HidingLabels::ALL).await.map_err(undecided)?;
    let message = found.into_iter().next().ok_or(StoreError::Unavailable(cause))?;
    app.wake.outgoing();
    Ok(SendResult { message_id: message.item.message_id, thread_id: message.item.thread_id, held: None })
}

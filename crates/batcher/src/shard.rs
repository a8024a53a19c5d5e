//! Job queue of one key.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_channel::oneshot;

use crate::{BatchLimits, LeaderDropped, LeaderWaits};

/// Queue of a key, with a limited number of concurrent batches.
pub(crate) struct Shard<J, R>(Mutex<Queue<J, R>>);

struct Queue<J, R> {
    /// Batches that may start at once: the maximum of concurrent batches without the running ones.
    free_leads: usize,
    waiting: VecDeque<QueuedJob<J, R>>,
}

struct QueuedJob<J, R> {
    job: J,
    weight: usize,
    turn: oneshot::Sender<FollowerTurn<J, R>>,
}

/// Message to a waiting job.
enum FollowerTurn<J, R> {
    /// The job leads the next batch.
    Lead(J, Leader<J, R>),
    /// A leader ran the job.
    Done(R),
}

enum JobRole<J, R> {
    Leader(J),
    Follower(oneshot::Receiver<FollowerTurn<J, R>>),
}

impl<J, R> Shard<J, R> {
    pub(crate) fn new(leaders: usize) -> Self {
        Self(Mutex::new(Queue { free_leads: leaders, waiting: VecDeque::new() }))
    }

    /// Runs a job and returns its result.
    pub(crate) async fn run<Linger, Permit, Work>(
        self: &Arc<Self>,
        (job, weight): (J, usize),
        limits: BatchLimits,
        LeaderWaits { linger, permit }: LeaderWaits<Linger, Permit>,
        work: impl FnOnce(Vec<J>, Permit::Output) -> Work + Send,
    ) -> Result<R, LeaderDropped>
    where
        Linger: Future<Output = ()> + Send,
        Permit: Future<Output: Send> + Send,
        Work: Future<Output = Vec<R>> + Send,
    {
        let (job, leader) = match self.enter(job, weight) {
            JobRole::Leader(job) => (job, Leader(Arc::clone(self))),
            JobRole::Follower(turn) => match turn.await.map_err(|_| LeaderDropped)? {
                FollowerTurn::Lead(job, leader) => {
                    if !self.is_full(limits) {
                        linger.await;
                    }
                    (job, leader)
                }
                FollowerTurn::Done(result) => return Ok(result),
            },
        };
        let permit = permit.await;
        let (jobs, followers) = self.take_batch(job, weight, limits);
        let mut results = work(jobs, permit).await.into_iter();
        // The next batch begins before the results of this one are sent.
        drop(leader);
        let own = results.next();
        for (follower, result) in followers.into_iter().zip(results) {
            // A cancelled follower needs no result.
            let _cancelled = follower.send(FollowerTurn::Done(result));
        }
        own.ok_or(LeaderDropped)
    }

    /// Locks the queue. No code panics under this lock.
    fn queue(&self) -> MutexGuard<'_, Queue<J, R>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, job: J, weight: usize) -> JobRole<J, R> {
        let mut queue = self.queue();
        if let Some(left) = queue.free_leads.checked_sub(1) {
            queue.free_leads = left;
            return JobRole::Leader(job);
        }
        let (turn, follower) = oneshot::channel();
        queue.waiting.push_back(QueuedJob { job, weight, turn });
        JobRole::Follower(follower)
    }

    /// Removes the jobs of a batch from the queue. Returns them after the job of the leader, with the senders of the
    /// followers.
    fn take_batch(
        &self,
        job: J,
        mut weight: usize,
        limits: BatchLimits,
    ) -> (Vec<J>, Vec<oneshot::Sender<FollowerTurn<J, R>>>) {
        let (mut jobs, mut followers) = (vec![job], Vec::new());
        let mut queue = self.queue();
        while let Some(next) = queue.waiting.pop_front() {
            if next.turn.is_canceled() {
                continue;
            }
            weight = weight.saturating_add(next.weight);
            if jobs.len() >= limits.jobs || weight > limits.weight {
                queue.waiting.push_front(next);
                break;
            }
            jobs.push(next.job);
            followers.push(next.turn);
        }
        (jobs, followers)
    }

    /// Returns whether the queue fills the next batch.
    fn is_full(&self, limits: BatchLimits) -> bool {
        self.queue().waiting.len() + 1 >= limits.jobs
    }

    /// Removes the next leader from the queue. Without one, the lead becomes free.
    fn next_leader(&self) -> Option<QueuedJob<J, R>> {
        let mut queue = self.queue();
        while let Some(next) = queue.waiting.pop_front() {
            if !next.turn.is_canceled() {
                return Some(next);
            }
        }
        queue.free_leads += 1;
        None
    }
}

/// The lead of a batch. On drop it passes to the next waiting job, also when the leader was cancelled, panicked or
/// never received it.
struct Leader<J, R>(Arc<Shard<J, R>>);

impl<J, R> Drop for Leader<J, R> {
    fn drop(&mut self) {
        if let Some(QueuedJob { job, turn, .. }) = self.0.next_leader() {
            // A cancelled follower returns the lead, whose drop passes it on.
            let _not_received = turn.send(FollowerTurn::Lead(job, Self(Arc::clone(&self.0))));
        }
    }
}

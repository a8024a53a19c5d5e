//! Group commit: concurrent jobs of a key run as one batch.
//!
//! A commit costs the same for one job as for thirty. The first job of an idle key leads and runs at once, alone. Jobs
//! that arrive while it runs wait and form the next batch, which the first of them leads. A batch waits for more jobs
//! only when its leader has a linger, so batches grow with the load.

mod shard;

use std::collections::HashMap;
use std::future::ready;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use self::shard::Shard;

/// Limits of a batch. A job over the weight limit runs alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchLimits {
    /// Maximum number of jobs.
    pub jobs: usize,
    /// Maximum total weight of the jobs, in a unit of the caller.
    pub weight: usize,
}

/// The leader was cancelled or panicked; the outcome of the batch is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaderDropped;

/// Futures that a leader awaits before it takes its batch.
#[derive(Debug)]
pub struct LeaderWaits<Linger, Permit> {
    /// Delay for more jobs. It applies to a leader that waited itself and whose batch is not full.
    pub linger: Linger,
    /// Permit that the work of the batch receives.
    pub permit: Permit,
}

/// Batcher of jobs by key. Each key has a shard, an independent queue that exists while it has jobs.
pub struct Batcher<K, J, R> {
    shards: Mutex<Shards<K, J, R>>,
    limits: BatchLimits,
    leaders: usize,
}

type Shards<K, J, R> = HashMap<K, Arc<Shard<J, R>>>;

impl<K: Clone + Eq + Hash, J: Send, R: Send> Batcher<K, J, R> {
    /// Creates a batcher that runs one batch of a key at a time.
    #[must_use]
    pub fn new(limits: BatchLimits) -> Self {
        Self::with_leaders(limits, 1)
    }

    /// Creates a batcher that runs at most `leaders` batches of a key at a time.
    #[must_use]
    pub fn with_leaders(limits: BatchLimits, leaders: usize) -> Self {
        Self { shards: Mutex::default(), limits, leaders: leaders.max(1) }
    }

    /// Runs a job with its weight in the shard of its key and returns its result.
    ///
    /// The leader calls `work` with its own job first and the others in the order of their arrival. `work` returns one
    /// result for each job, in that order. A waiting job with a dropped future does not run. A leader whose
    /// future is dropped ends its batch, and the next waiting job leads.
    ///
    /// # Errors
    /// [`LeaderDropped`].
    pub async fn execute<Work>(
        &self,
        key: K,
        job: (J, usize),
        work: impl FnOnce(Vec<J>) -> Work + Send,
    ) -> Result<R, LeaderDropped>
    where
        Work: Future<Output = Vec<R>> + Send,
    {
        let waits = LeaderWaits { linger: ready(()), permit: ready(()) };
        self.execute_after(key, job, waits, |jobs, ()| work(jobs)).await
    }

    /// Runs a job like [`execute`](Self::execute), with a leader that waits before it takes its batch.
    ///
    /// # Errors
    /// [`LeaderDropped`].
    pub async fn execute_after<Linger, Permit, Work>(
        &self,
        key: K,
        job: (J, usize),
        waits: LeaderWaits<Linger, Permit>,
        work: impl FnOnce(Vec<J>, Permit::Output) -> Work + Send,
    ) -> Result<R, LeaderDropped>
    where
        Linger: Future<Output = ()> + Send,
        Permit: Future<Output: Send> + Send,
        Work: Future<Output = Vec<R>> + Send,
    {
        let entry = self.enter(key);
        let Some(shard) = &entry.shard else { return Err(LeaderDropped) };
        shard.run(job, self.limits, waits, work).await
    }

    fn enter(&self, key: K) -> ShardEntry<'_, K, J, R> {
        let shard = Arc::clone(self.shards().entry(key.clone()).or_insert_with(|| Arc::new(Shard::new(self.leaders))));
        ShardEntry { shards: &self.shards, key, shard: Some(shard) }
    }
}

impl<K, J, R> Batcher<K, J, R> {
    /// Locks the shards. No code panics under this lock.
    fn shards(&self) -> MutexGuard<'_, Shards<K, J, R>> {
        self.shards.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K, J, R> std::fmt::Debug for Batcher<K, J, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Batcher").field("limits", &self.limits).field("leaders", &self.leaders).finish_non_exhaustive()
    }
}

/// Use of a shard by one job. The drop of the last entry removes the shard.
struct ShardEntry<'a, K: Eq + Hash, J, R> {
    shards: &'a Mutex<Shards<K, J, R>>,
    key: K,
    shard: Option<Arc<Shard<J, R>>>,
}

impl<K: Eq + Hash, J, R> Drop for ShardEntry<'_, K, J, R> {
    fn drop(&mut self) {
        let mut shards = self.shards.lock().unwrap_or_else(PoisonError::into_inner);
        // Dropped under the lock: of two concurrent drops, the second sees that it is the last.
        drop(self.shard.take());
        if shards.get(&self.key).is_some_and(|shard| Arc::strong_count(shard) == 1) {
            shards.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests;

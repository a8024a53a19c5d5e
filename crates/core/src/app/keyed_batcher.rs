//! Group commit with a shard for each key, so that a stuck batch delays its own key only.

use std::collections::HashMap;
use std::future::ready;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::gathering::{Abandoned, Lane, Most};

/// Batches the jobs of each key. Shards exist while they have jobs.
pub(crate) struct KeyedBatcher<K, J, A> {
    shards: Mutex<HashMap<K, Arc<Lane<J, A>>>>,
    most: Most,
}

impl<K: Clone + Eq + Hash, J: Send, A: Send> KeyedBatcher<K, J, A> {
    /// A batcher that runs one batch of a key at a time.
    pub(crate) fn new(most: Most) -> Self {
        Self { shards: Mutex::default(), most }
    }

    /// Runs a job in the shard of its key and returns the result, as [`Gathering::ask`](super::gathering::Gathering::ask). The
    /// batch waits for its permit, which `work` owns.
    ///
    /// # Errors
    /// [`Abandoned`].
    pub(crate) async fn execute<Permit: Send, Work>(
        &self,
        key: K,
        (job, weight): (J, usize),
        permit: impl Future<Output = Permit> + Send,
        work: impl FnOnce(Vec<J>, Permit) -> Work + Send,
    ) -> Result<A, Abandoned>
    where
        Work: Future<Output = Vec<A>> + Send,
    {
        let shard = self.enter(key);
        let Some(lane) = &shard.lane else { return Err(Abandoned) };
        lane.run((job, weight), self.most, ready(()), permit, work).await
    }

    fn enter(&self, key: K) -> ShardGuard<'_, K, J, A> {
        let lane = Arc::clone(self.shards().entry(key.clone()).or_default());
        ShardGuard { shards: &self.shards, key, lane: Some(lane) }
    }

    fn shards(&self) -> MutexGuard<'_, HashMap<K, Arc<Lane<J, A>>>> {
        self.shards.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The use of a shard by one job. The last one removes the shard.
struct ShardGuard<'a, K: Eq + Hash, J, A> {
    shards: &'a Mutex<HashMap<K, Arc<Lane<J, A>>>>,
    key: K,
    lane: Option<Arc<Lane<J, A>>>,
}

impl<K: Eq + Hash, J, A> Drop for ShardGuard<'_, K, J, A> {
    fn drop(&mut self) {
        let mut shards = self.shards.lock().unwrap_or_else(PoisonError::into_inner);
        // Under the lock: of two that leave at the same time the second one sees that it is the last.
        drop(self.lane.take());
        if shards.get(&self.key).is_some_and(|lane| Arc::strong_count(lane) == 1) {
            shards.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

    use std::future::pending;

    use futures_util::FutureExt;

    use super::*;
    use crate::app::permits::Permits;

    const MOST: Most = Most { jobs: 10, weight: 100 };

    type Batcher = KeyedBatcher<u32, u32, usize>;

    async fn sizes<P>(jobs: Vec<u32>, _permit: P) -> Vec<usize> {
        jobs.iter().map(|_| jobs.len()).collect()
    }

    #[tokio::test]
    async fn stuck_key_delays_itself_only() {
        let batcher = Batcher::new(MOST);
        let mut stuck = Box::pin(batcher.execute(0, (0, 1), ready(()), |_, ()| pending()));
        assert_eq!((&mut stuck).now_or_never(), None);
        for key in 1..1_000 {
            assert_eq!(batcher.execute(key, (key, 1), ready(()), sizes).now_or_never(), Some(Ok(1)), "{key}");
        }
        let mut behind = Box::pin(batcher.execute(0, (1, 1), ready(()), sizes));
        assert_eq!((&mut behind).now_or_never(), None);
        drop(stuck);
        assert_eq!(behind.now_or_never(), Some(Ok(1)));
        assert!(batcher.shards().is_empty(), "idle shards are removed");
    }

    #[tokio::test]
    async fn jobs_of_a_key_while_permits_are_taken_are_one_batch() {
        let (batcher, permits) = (Batcher::new(MOST), Permits::new(1));
        let held = permits.acquire().await;
        let mut waiting: Vec<_> =
            (1..=3).map(|job| Box::pin(batcher.execute(1, (job, 1), permits.acquire(), sizes))).collect();
        for job in &mut waiting {
            assert_eq!(job.now_or_never(), None);
        }
        drop(held);
        for job in waiting {
            assert_eq!(job.await.unwrap(), 3);
        }
        assert!(batcher.shards().is_empty());
    }

    #[tokio::test]
    async fn permit_of_a_job_that_went_away_goes_on() {
        let (batcher, permits) = (Batcher::new(MOST), Permits::new(1));
        let held = permits.acquire().await;
        let mut waiting: Vec<_> =
            (1..=3).map(|key| Box::pin(batcher.execute(key, (key, 1), permits.acquire(), sizes))).collect();
        for job in &mut waiting {
            assert_eq!(job.now_or_never(), None);
        }
        drop(waiting.remove(0));
        drop(held);
        // The permit was granted to this one, which never learns of it.
        drop(waiting.remove(0));
        assert_eq!(waiting.remove(0).now_or_never(), Some(Ok(1)));
        assert!(batcher.shards().is_empty());
        assert!(permits.acquire().now_or_never().is_some());
    }
}

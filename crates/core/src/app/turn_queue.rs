//! Fair queue of permits.
//!
//! Each owner has a limited share of the permits. Waiting owners take turns, independent of the number of their jobs.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_channel::oneshot;

/// Limits on running and waiting jobs.
#[derive(Debug, Clone, Copy)]
pub struct TurnBounds {
    /// Maximum number of running jobs of all owners.
    pub running: usize,
    /// Maximum number of running jobs of one owner; 0 turns all limits off.
    pub running_each: usize,
    /// Shared permits. An owner gets another permit only while at least as many are free as it would then have. So
    /// early owners leave permits to later ones.
    pub shared: usize,
    /// Maximum number of waiting jobs of one owner.
    pub waiting_each: usize,
}

impl TurnBounds {
    /// Returns whether an owner with `of_owner` running jobs may run another while `of_all` jobs run in total.
    fn may_run(&self, of_owner: usize, of_all: usize) -> bool {
        let is_share = of_owner == 0 || of_owner < self.shared.saturating_sub(of_all);
        of_all < self.running && of_owner < self.running_each && is_share
    }
}

/// Too many jobs of an owner wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueFull;

/// A queue of running and waiting jobs. Clones share it.
#[derive(Debug)]
pub struct TurnQueue<K>(Arc<Inner<K>>);

#[derive(Debug)]
struct Inner<K> {
    bounds: TurnBounds,
    queues: Mutex<Queues<K>>,
}

#[derive(Debug)]
struct Queues<K> {
    running: usize,
    owners: HashMap<K, Queue>,
    /// Owners with waiting jobs, in the order of their turns.
    turns: VecDeque<K>,
}

#[derive(Debug, Default)]
struct Queue {
    running: usize,
    waiting: VecDeque<oneshot::Sender<()>>,
}

/// The permit of one running job, released on drop.
#[derive(Debug)]
pub struct TurnPermit<K: Hash + Eq + Clone> {
    queue: TurnQueue<K>,
    owner: K,
}

impl<K> Clone for TurnQueue<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K: Hash + Eq + Clone> TurnQueue<K> {
    /// Creates a queue with limits.
    #[must_use]
    pub fn new(bounds: TurnBounds) -> Self {
        let queues = Mutex::new(Queues { running: 0, owners: HashMap::new(), turns: VecDeque::new() });
        Self(Arc::new(Inner { bounds, queues }))
    }

    /// Waits for a permit of an owner.
    ///
    /// # Errors
    /// [`QueueFull`] when too many jobs of the owner wait.
    pub async fn enter(&self, owner: K) -> Result<TurnPermit<K>, QueueFull> {
        let Some(turn) = self.take_or_wait(&owner)? else { return Ok(self.permit(owner)) };
        let mut waiting = WaitingJob { queue: self, owner: &owner, turn: Some(turn) };
        if let Some(turn) = waiting.turn.as_mut() {
            // The queue never drops the sender of a waiting job unsent.
            let _ = turn.await;
        }
        waiting.turn = None;
        drop(waiting);
        Ok(self.permit(owner))
    }

    /// Claims a permit and returns `None`, or enqueues the job and returns its receiver.
    fn take_or_wait(&self, owner: &K) -> Result<Option<oneshot::Receiver<()>>, QueueFull> {
        let TurnBounds { running_each, waiting_each, .. } = self.0.bounds;
        if running_each == 0 {
            return Ok(None);
        }
        let mut queues = self.lock();
        let of_all = queues.running;
        let queue = queues.owners.entry(owner.clone()).or_default();
        if queue.waiting.is_empty() && self.0.bounds.may_run(queue.running, of_all) {
            queue.running += 1;
            queues.running += 1;
            return Ok(None);
        }
        if queue.waiting.len() >= waiting_each {
            queue.waiting.retain(|waiting| !waiting.is_canceled());
            if queue.waiting.len() >= waiting_each {
                return Err(QueueFull);
            }
        }
        let (admit, turn) = oneshot::channel();
        let is_first = queue.waiting.is_empty();
        queue.waiting.push_back(admit);
        if is_first && !queues.turns.contains(owner) {
            queues.turns.push_back(owner.clone());
        }
        Ok(Some(turn))
    }

    fn permit(&self, owner: K) -> TurnPermit<K> {
        TurnPermit { queue: self.clone(), owner }
    }

    /// Releases a permit and admits the next jobs.
    fn leave(&self, owner: &K) {
        if self.0.bounds.running_each == 0 {
            return;
        }
        let mut queues = self.lock();
        queues.running = queues.running.saturating_sub(1);
        if let Some(queue) = queues.owners.get_mut(owner) {
            queue.running = queue.running.saturating_sub(1);
        }
        queues.admit_waiting(self.0.bounds);
        queues.forget(owner);
    }

    fn lock(&self) -> MutexGuard<'_, Queues<K>> {
        self.0.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Hash + Eq + Clone> Queues<K> {
    /// Admits waiting jobs while permits are free, one job per owner and turn.
    fn admit_waiting(&mut self, bounds: TurnBounds) {
        let mut passed = 0;
        while self.running < bounds.running && passed < self.turns.len() {
            let Some(owner) = self.turns.pop_front() else { return };
            let Some(queue) = self.owners.get_mut(&owner) else { continue };
            if !bounds.may_run(queue.running, self.running) {
                self.turns.push_back(owner);
                passed += 1;
                continue;
            }
            while let Some(admit) = queue.waiting.pop_front() {
                if admit.send(()).is_ok() {
                    queue.running += 1;
                    self.running += 1;
                    passed = 0;
                    break;
                }
            }
            if queue.waiting.is_empty() {
                self.forget(&owner);
            } else {
                self.turns.push_back(owner);
            }
        }
    }

    /// Evicts an owner without jobs.
    fn forget(&mut self, owner: &K) {
        let is_idle = |queue: &Queue| queue.running == 0 && queue.waiting.is_empty();
        if self.owners.get(owner).is_some_and(is_idle) {
            self.owners.remove(owner);
        }
    }
}

/// A waiting job, which returns an unused permit when it is cancelled.
struct WaitingJob<'a, K: Hash + Eq + Clone> {
    queue: &'a TurnQueue<K>,
    owner: &'a K,
    /// Receiver of the turn, until the turn comes.
    turn: Option<oneshot::Receiver<()>>,
}

impl<K: Hash + Eq + Clone> Drop for WaitingJob<'_, K> {
    fn drop(&mut self) {
        let Some(mut turn) = self.turn.take() else { return };
        turn.close();
        // The job was cancelled after its admission.
        if matches!(turn.try_recv(), Ok(Some(()))) {
            self.queue.leave(self.owner);
        }
    }
}

impl<K: Hash + Eq + Clone> Drop for TurnPermit<K> {
    fn drop(&mut self) {
        self.queue.leave(&self.owner);
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

    use futures_util::FutureExt;
    use futures_util::future::BoxFuture;

    use super::*;

    fn queue() -> TurnQueue<u32> {
        TurnQueue::new(TurnBounds { running: 3, running_each: 2, shared: 6, waiting_each: 2 })
    }

    fn enter(queue: &TurnQueue<u32>, owner: u32) -> BoxFuture<'static, Result<TurnPermit<u32>, QueueFull>> {
        let queue = queue.clone();
        async move { queue.enter(owner).await }.boxed()
    }

    fn permit(queue: &TurnQueue<u32>, owner: u32) -> TurnPermit<u32> {
        enter(queue, owner).now_or_never().unwrap().unwrap()
    }

    #[test]
    fn owner_beyond_its_share_waits_and_leaves_the_rest_to_others() {
        let queue = queue();
        let (first, _second) = (permit(&queue, 1), permit(&queue, 1));
        let mut third = enter(&queue, 1);
        assert!((&mut third).now_or_never().is_none());
        let _other = permit(&queue, 2);
        drop(first);
        assert!(third.now_or_never().unwrap().is_ok());
    }

    #[test]
    fn owner_with_a_full_queue_is_refused() {
        let queue = queue();
        let _running = [permit(&queue, 1), permit(&queue, 1)];
        let mut waiting = [enter(&queue, 1), enter(&queue, 1)];
        for one in &mut waiting {
            assert!(one.now_or_never().is_none());
        }
        assert_eq!(enter(&queue, 1).now_or_never().unwrap().unwrap_err(), QueueFull);
        drop(waiting);
        assert!(enter(&queue, 1).now_or_never().is_none(), "cancelled jobs leave their places in the queue");
    }

    #[test]
    fn waiting_owners_take_turns() {
        let queue = queue();
        let mut running = vec![permit(&queue, 1), permit(&queue, 1), permit(&queue, 2)];
        let mut of_first = [enter(&queue, 1), enter(&queue, 1)];
        for one in &mut of_first {
            assert!(one.now_or_never().is_none());
        }
        let mut of_third = enter(&queue, 3);
        assert!((&mut of_third).now_or_never().is_none());
        drop(running.remove(0));
        let [first, second] = &mut of_first;
        let first = first.now_or_never().unwrap().unwrap();
        drop(running.remove(0));
        let third = of_third.now_or_never().unwrap().unwrap();
        assert!(second.now_or_never().is_none(), "the third owner had its turn first");
        drop(third);
        drop(second.now_or_never().unwrap().unwrap());
        drop((first, running));
        assert!(queue.lock().owners.is_empty() && queue.lock().running == 0);
    }

    #[test]
    fn cancelled_job_passes_its_turn_on() {
        let queue = queue();
        let running = [permit(&queue, 1), permit(&queue, 1)];
        let (mut first, mut second) = (enter(&queue, 1), enter(&queue, 1));
        assert!((&mut first).now_or_never().is_none() && (&mut second).now_or_never().is_none());
        let [one, _other] = running;
        drop(one);
        drop(first);
        assert!(second.now_or_never().is_some());
    }

    #[test]
    fn greedy_owners_leave_permits_to_a_later_one() {
        let queue = TurnQueue::new(TurnBounds { running: 40, running_each: 10, shared: 20, waiting_each: 100 });
        let (mut permits, mut waiting) = (Vec::new(), Vec::new());
        for owner in 1..=4 {
            for _ in 0..20 {
                let mut entered = enter(&queue, owner);
                match (&mut entered).now_or_never() {
                    Some(permit) => permits.push(permit.unwrap()),
                    None => waiting.push(entered),
                }
            }
        }
        assert!(permits.len() < 20, "{} of 20 permits", permits.len());
        let running: Vec<usize> = (1..=4).map(|owner| queue.lock().owners[&owner].running).collect();
        assert_eq!(running, [10, 5, 3, 1]);
        drop(permit(&queue, 5));
        drop((waiting, permits));
        assert_eq!(queue.lock().running, 0);
    }

    #[test]
    fn zero_turns_limits_off() {
        let queue = TurnQueue::new(TurnBounds { running: 1, running_each: 0, shared: 1, waiting_each: 0 });
        let permits: Vec<_> = (0..100).map(|_| permit(&queue, 1)).collect();
        assert_eq!(permits.len(), 100);
    }
}

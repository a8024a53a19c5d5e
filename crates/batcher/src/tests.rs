#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::future::pending;

use futures_util::FutureExt;
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, yield_now};

use super::*;

const LARGE: BatchLimits = BatchLimits { jobs: 100, weight: 100 };

type JobResult = Result<(u32, usize), LeaderDropped>;

/// A batcher that records its batches. Each batch waits for the gate.
struct TestBatcher {
    batcher: Batcher<(), u32, (u32, usize)>,
    gate: Semaphore,
    batches: Mutex<Vec<Vec<u32>>>,
}

impl TestBatcher {
    fn new(limits: BatchLimits) -> Arc<Self> {
        Self::with_leaders(limits, 1)
    }

    fn with_leaders(limits: BatchLimits, leaders: usize) -> Arc<Self> {
        let batcher = Batcher::with_leaders(limits, leaders);
        Arc::new(Self { batcher, gate: Semaphore::new(0), batches: Mutex::default() })
    }

    /// Runs a job and returns it with the size of its batch.
    async fn execute(&self, job: u32, weight: usize) -> JobResult {
        self.batcher.execute((), (job, weight), |jobs| self.work(jobs)).await
    }

    async fn work(&self, jobs: Vec<u32>) -> Vec<(u32, usize)> {
        self.batches.lock().unwrap().push(jobs.clone());
        self.gate.acquire().await.unwrap().forget();
        jobs.iter().map(|job| (*job, jobs.len())).collect()
    }

    async fn spawn(self: &Arc<Self>, job: u32, weight: usize) -> JoinHandle<JobResult> {
        let batcher = Arc::clone(self);
        let running = tokio::spawn(async move { batcher.execute(job, weight).await });
        yield_now().await;
        running
    }

    fn batches(&self) -> Vec<Vec<u32>> {
        self.batches.lock().unwrap().clone()
    }
}

async fn sizes<P>(jobs: Vec<u32>, _permit: P) -> Vec<usize> {
    jobs.iter().map(|_| jobs.len()).collect()
}

fn at_once() -> LeaderWaits<std::future::Ready<()>, std::future::Ready<()>> {
    LeaderWaits { linger: ready(()), permit: ready(()) }
}

#[tokio::test]
async fn jobs_during_a_batch_form_the_next_one() {
    let test = TestBatcher::new(LARGE);
    let mut running = Vec::new();
    for job in 1..=4 {
        running.push(test.spawn(job, 1).await);
    }
    test.gate.add_permits(2);
    for (job, running) in (1..).zip(running) {
        let size = if job == 1 { 1 } else { 3 };
        assert_eq!(running.await.unwrap(), Ok((job, size)));
    }
    assert_eq!(test.batches(), [vec![1], vec![2, 3, 4]]);
    // The lead is free again.
    test.gate.add_permits(1);
    assert_eq!(test.execute(5, 1).await, Ok((5, 1)));
}

#[tokio::test]
async fn jobs_during_a_linger_join_the_batch() {
    let test = TestBatcher::new(LARGE);
    let lingered = Arc::new(Semaphore::new(0));
    let mut running = Vec::new();
    for job in 1..=2 {
        let (test, lingered) = (Arc::clone(&test), Arc::clone(&lingered));
        running.push(tokio::spawn(async move {
            let linger = async { lingered.acquire().await.unwrap().forget() };
            let waits = LeaderWaits { linger, permit: ready(()) };
            test.batcher.execute_after((), (job, 1), waits, |jobs, ()| test.work(jobs)).await
        }));
        yield_now().await;
    }
    // The first job begins at once; the second waits for it and then lingers.
    assert_eq!(test.batches(), [vec![1]]);
    test.gate.add_permits(2);
    let first = running.remove(0);
    assert_eq!(first.await.unwrap(), Ok((1, 1)));
    yield_now().await;
    running.push(test.spawn(3, 1).await);
    assert_eq!(test.batches(), [vec![1]]);
    lingered.add_permits(1);
    for (job, running) in (2..).zip(running) {
        assert_eq!(running.await.unwrap(), Ok((job, 2)));
    }
    assert_eq!(test.batches(), [vec![1], vec![2, 3]]);
}

#[tokio::test]
async fn batches_respect_jobs_and_weight() {
    let test = TestBatcher::new(BatchLimits { jobs: 3, weight: 10 });
    let mut running = Vec::new();
    for (job, weight) in [(1, 1), (2, 1), (3, 1), (4, 1), (5, 6), (6, 5), (7, 99), (8, 1)] {
        running.push(test.spawn(job, weight).await);
    }
    test.gate.add_permits(10);
    for running in running {
        running.await.unwrap().unwrap();
    }
    assert_eq!(test.batches(), [vec![1], vec![2, 3, 4], vec![5], vec![6], vec![7], vec![8]]);
}

#[tokio::test]
async fn leaders_of_a_key_run_at_the_same_time() {
    let test = TestBatcher::with_leaders(LARGE, 2);
    let mut running = Vec::new();
    for job in 1..=4 {
        running.push(test.spawn(job, 1).await);
    }
    assert_eq!(test.batches(), [vec![1], vec![2]]);
    test.gate.add_permits(1);
    yield_now().await;
    yield_now().await;
    assert_eq!(test.batches(), [vec![1], vec![2], vec![3, 4]]);
    test.gate.add_permits(2);
    for (running, expected) in running.into_iter().zip([(1, 1), (2, 1), (3, 2), (4, 2)]) {
        assert_eq!(running.await.unwrap(), Ok(expected));
    }
    assert!(test.batcher.shards().is_empty());
}

#[tokio::test]
async fn cancelled_follower_is_skipped() {
    let test = TestBatcher::new(LARGE);
    let first = test.spawn(1, 1).await;
    let cancelled = test.spawn(2, 1).await;
    let third = test.spawn(3, 1).await;
    let cancelled_too = test.spawn(4, 1).await;
    for cancelled in [cancelled, cancelled_too] {
        cancelled.abort();
        assert!(cancelled.await.unwrap_err().is_cancelled());
    }
    test.gate.add_permits(2);
    assert_eq!(first.await.unwrap(), Ok((1, 1)));
    assert_eq!(third.await.unwrap(), Ok((3, 1)));
}

#[tokio::test]
async fn cancelled_leader_fails_its_batch_and_passes_the_lead_on() {
    let test = TestBatcher::new(LARGE);
    let first = test.spawn(1, 1).await;
    let leader = test.spawn(2, 1).await;
    let follower = test.spawn(3, 1).await;
    test.gate.add_permits(1);
    assert_eq!(first.await.unwrap(), Ok((1, 1)));
    yield_now().await;
    let behind = test.spawn(4, 1).await;
    leader.abort();
    assert!(leader.await.unwrap_err().is_cancelled());
    assert_eq!(follower.await.unwrap(), Err(LeaderDropped));
    test.gate.add_permits(1);
    assert_eq!(behind.await.unwrap(), Ok((4, 1)));
}

#[tokio::test]
async fn panicking_leader_fails_its_batch_and_passes_the_lead_on() {
    let test = TestBatcher::new(LARGE);
    let first = test.spawn(1, 1).await;
    let panicking = Arc::clone(&test);
    let leader = tokio::spawn(async move {
        let work = |_| async {
            panicking.gate.acquire().await.unwrap().forget();
            panic!("the work panics")
        };
        panicking.batcher.execute((), (2, 1), work).await
    });
    yield_now().await;
    let follower = test.spawn(3, 1).await;
    test.gate.add_permits(1);
    assert_eq!(first.await.unwrap(), Ok((1, 1)));
    yield_now().await;
    let behind = test.spawn(4, 1).await;
    test.gate.add_permits(2);
    assert!(leader.await.unwrap_err().is_panic());
    assert_eq!(follower.await.unwrap(), Err(LeaderDropped));
    assert_eq!(behind.await.unwrap(), Ok((4, 1)));
    assert!(test.batcher.shards().is_empty());
}

#[tokio::test]
async fn follower_cancelled_before_it_learns_of_its_lead_passes_it_on() {
    let test = TestBatcher::new(LARGE);
    let first = test.spawn(1, 1).await;
    let mut next = Box::pin(test.execute(2, 1));
    assert_eq!((&mut next).now_or_never(), None);
    test.gate.add_permits(1);
    assert_eq!(first.await.unwrap(), Ok((1, 1)));
    drop(next);
    test.gate.add_permits(1);
    assert_eq!(test.execute(3, 1).await, Ok((3, 1)));
    assert_eq!(test.batches(), [vec![1], vec![3]]);
}

#[tokio::test]
async fn missing_result_is_an_unknown_outcome() {
    let batcher = Batcher::<u32, u32, u32>::new(LARGE);
    assert_eq!(batcher.execute(1, (1, 1), |_| async { Vec::new() }).await, Err(LeaderDropped));
    assert_eq!(batcher.execute(1, (1, 1), |jobs| async { jobs }).await, Ok(1));
}

#[tokio::test]
async fn stuck_key_delays_itself_only() {
    let batcher = Batcher::<u32, u32, usize>::new(LARGE);
    let mut stuck = Box::pin(batcher.execute_after(0, (0, 1), at_once(), |_, ()| pending()));
    assert_eq!((&mut stuck).now_or_never(), None);
    for key in 1..1_000 {
        assert_eq!(batcher.execute_after(key, (key, 1), at_once(), sizes).now_or_never(), Some(Ok(1)), "{key}");
    }
    let mut behind = Box::pin(batcher.execute_after(0, (1, 1), at_once(), sizes));
    assert_eq!((&mut behind).now_or_never(), None);
    drop(stuck);
    assert_eq!(behind.now_or_never(), Some(Ok(1)));
    assert!(batcher.shards().is_empty(), "idle shards are removed");
}

#[tokio::test]
async fn jobs_of_a_key_without_permit_are_one_batch() {
    let (batcher, permits) = (Batcher::<u32, u32, usize>::new(LARGE), Semaphore::new(1));
    let held = permits.acquire().await;
    let waits = || LeaderWaits { linger: ready(()), permit: permits.acquire() };
    let mut waiting: Vec<_> = (1..=3).map(|job| Box::pin(batcher.execute_after(1, (job, 1), waits(), sizes))).collect();
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
async fn permit_of_a_cancelled_leader_passes_on() {
    let (batcher, permits) = (Batcher::<u32, u32, usize>::new(LARGE), Semaphore::new(1));
    let held = permits.acquire().await;
    let waits = || LeaderWaits { linger: ready(()), permit: permits.acquire() };
    let mut waiting: Vec<_> =
        (1..=3).map(|key| Box::pin(batcher.execute_after(key, (key, 1), waits(), sizes))).collect();
    for job in &mut waiting {
        assert_eq!(job.now_or_never(), None);
    }
    drop(waiting.remove(0));
    drop(held);
    // The cancelled job already has the permit, without having seen it.
    drop(waiting.remove(0));
    assert_eq!(waiting.remove(0).now_or_never(), Some(Ok(1)));
    assert!(batcher.shards().is_empty());
    assert!(permits.acquire().now_or_never().is_some());
}

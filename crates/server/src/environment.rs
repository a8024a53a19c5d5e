//! Clock, randomness and blocking threads of the machine: the only source of time and random values.

use std::num::NonZero;
use std::thread::available_parallelism;

use async_trait::async_trait;
use inboxd_core::app::{TurnBounds, TurnQueue};
use inboxd_core::ports::{BlockingPool, BlockingWork, Clock, Random, WorkOwner};
use time::OffsetDateTime;
use tokio::task::spawn_blocking;

/// System clock.
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place where the time comes from")]
    fn now(&self) -> OffsetDateTime {
        let now = OffsetDateTime::now_utc();
        now.replace_millisecond(now.millisecond()).unwrap_or(now)
    }
}

/// Random source of the operating system.
pub(crate) struct SystemRandom;

impl Random for SystemRandom {
    #[expect(clippy::disallowed_methods, reason = "this is the one place where randomness comes from")]
    fn fill(&self, buffer: &mut [u8]) {
        rand::fill(buffer);
    }
}

/// Blocking threads of tokio. Long computations use half as many as there are processors; the rest serves sockets.
/// Owners of computations take turns.
pub(crate) struct BlockingThreads(TurnQueue<WorkOwner>);

impl BlockingThreads {
    /// Creates a pool for this machine.
    pub(crate) fn new() -> Self {
        let running = available_parallelism().map_or(1, NonZero::get).div_ceil(2);
        // Callers bound the number of waiting computations when they read their content.
        Self(TurnQueue::new(TurnBounds { running, running_each: running, shared: running, waiting_each: usize::MAX }))
    }
}

#[async_trait]
impl BlockingPool for BlockingThreads {
    async fn run(&self, owner: WorkOwner, work: BlockingWork) {
        // The queue is never full.
        let permit = self.0.enter(owner).await.ok();
        // The computation holds its permit until it ends, even if its caller is cancelled. A panic reaches the caller
        // as a missing result.
        let computed = spawn_blocking(move || {
            work();
            drop(permit);
        });
        let _ = computed.await;
    }
}

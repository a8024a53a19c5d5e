//! The machine's clock and randomness. Nobody else in the program asks for them.

use std::num::NonZero;
use std::thread::available_parallelism;

use async_trait::async_trait;
use inboxd_core::app::{TurnBounds, TurnQueue};
use inboxd_core::ports::{BlockingPool, BlockingWork, Clock, Random, WorkOwner};
use time::OffsetDateTime;
use tokio::task::spawn_blocking;

/// The machine's clock.
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place where the time comes from")]
    fn now(&self) -> OffsetDateTime {
        let now = OffsetDateTime::now_utc();
        now.replace_millisecond(now.millisecond()).unwrap_or(now)
    }
}

/// The machine's source of randomness.
pub(crate) struct SystemRandom;

impl Random for SystemRandom {
    #[expect(clippy::disallowed_methods, reason = "this is the one place where randomness comes from")]
    fn fill(&self, buffer: &mut [u8]) {
        rand::fill(buffer);
    }
}

/// The blocking threads of tokio, of which long computations use half as many as there are processors: the rest serves
/// sockets. Owners of computations take turns.
pub(crate) struct BlockingThreads(TurnQueue<WorkOwner>);

impl BlockingThreads {
    /// A pool for this machine.
    pub(crate) fn new() -> Self {
        let running = available_parallelism().map_or(1, NonZero::get).div_ceil(2);
        // Those that wait are bounded where their content is read.
        Self(TurnQueue::new(TurnBounds { running, running_each: running, shared: running, waiting_each: usize::MAX }))
    }
}

#[async_trait]
impl BlockingPool for BlockingThreads {
    async fn run(&self, owner: WorkOwner, work: BlockingWork) {
        // The queue is never full.
        let permit = self.0.enter(owner).await.ok();
        // The computation holds its permit until it ends, even where its caller goes away. A panic reaches the caller as
        // a missing result.
        let computed = spawn_blocking(move || {
            work();
            drop(permit);
        });
        let _ = computed.await;
    }
}

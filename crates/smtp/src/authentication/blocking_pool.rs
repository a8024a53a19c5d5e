//! Bounded parallelism for hashing large messages.

use std::num::NonZero;
use std::thread::available_parallelism;

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::Semaphore;
use tokio::task::block_in_place;

/// Messages up to this size are parsed and hashed inline, which is faster than a move of other tasks to another thread.
const MAX_INLINE_BYTES: usize = 64 * 1024;

/// Permits for half of the processors, so a few large messages cannot occupy all of them.
pub(super) struct BlockingPool(Semaphore);

impl BlockingPool {
    pub(super) fn new() -> Self {
        let processors = available_parallelism().map_or(1, NonZero::get);
        Self(Semaphore::new(processors.div_ceil(2)))
    }

    /// Runs uninterrupted work on so many bytes.
    ///
    /// For large messages the other tasks of this thread move to another thread, unless the runtime has only one.
    pub(super) async fn run<T>(&self, bytes: usize, work: impl FnOnce() -> T) -> T {
        if bytes <= MAX_INLINE_BYTES {
            return work();
        }
        // The semaphore is never closed. If it were, the work would still run.
        let _place = self.0.acquire().await;
        if Handle::current().runtime_flavor() == RuntimeFlavor::MultiThread { block_in_place(work) } else { work() }
    }
}

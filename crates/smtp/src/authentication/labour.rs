//! Reading and hashing what may be large, away from those that wait for sockets.

use std::num::NonZero;
use std::thread::available_parallelism;

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::Semaphore;
use tokio::task::block_in_place;

/// A mail of at most so many octets is read and hashed in less time than it takes to hand over what else a thread has to
/// do.
const SMALL: usize = 64 * 1024;

/// Lets a few large mails at a time keep a processor busy: half of the processors.
pub(super) struct Labour(Semaphore);

impl Labour {
    pub(super) fn new() -> Self {
        let processors = available_parallelism().map_or(1, NonZero::get);
        Self(Semaphore::new(processors.div_ceil(2)))
    }

    /// Does work on so many octets that nothing interrupts. Where they are many, whatever else this thread had to do is
    /// done by others meanwhile, unless there are none (a runtime of one thread).
    pub(super) async fn run<T>(&self, octets: usize, work: impl FnOnce() -> T) -> T {
        if octets <= SMALL {
            return work();
        }
        // Nobody closes it; work would be done all the same.
        let _place = self.0.acquire().await;
        if Handle::current().runtime_flavor() == RuntimeFlavor::MultiThread { block_in_place(work) } else { work() }
    }
}

//! Threads for long computations, apart from those that serve sockets.

use async_trait::async_trait;

/// A computation that runs to its end without waiting for anything.
pub type BlockingWork = Box<dyn FnOnce() + Send>;

/// Runs long computations on threads of their own, a few at a time.
#[async_trait]
pub trait BlockingPool: Send + Sync {
    /// Runs a computation to its end, and waits first while all places of the pool are taken. A computation that began
    /// ends even where its caller goes away.
    async fn run(&self, work: BlockingWork);
}

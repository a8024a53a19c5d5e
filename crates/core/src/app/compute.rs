//! Computations on large content outside the async worker threads.

use futures_channel::oneshot;

use super::App;
use crate::Error;
use crate::ports::WorkOwner;

/// Maximum size of content that is processed inline. Below it a thread switch costs more than it saves.
pub const MAX_INLINE_BYTES: usize = 256 * 1024;

impl App {
    /// Runs a computation on content of `bytes` bytes. Small content is processed inline, large content on the blocking
    /// pool, where owners take turns.
    ///
    /// # Errors
    /// [`Error::Internal`] when the computation panicked or the process is stopping.
    pub async fn compute<T: Send + 'static>(
        &self,
        owner: WorkOwner,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        if bytes <= MAX_INLINE_BYTES {
            return Ok(work());
        }
        let (result, computed) = oneshot::channel();
        let work = move || {
            // A cancelled caller needs no result.
            let _ = result.send(work());
        };
        self.blocking.run(owner, Box::new(work)).await;
        computed.await.map_err(|oneshot::Canceled| Error::Internal("a computation broke off".to_owned()))
    }
}

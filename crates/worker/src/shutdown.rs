//! The end of this process, as its tasks see it.

use std::time::Duration;

use tokio::sync::watch;

/// Requests the shutdown of every task that has its [`Shutdown`]. Dropping it requests the shutdown too.
#[derive(Debug)]
pub struct ShutdownTrigger(watch::Sender<bool>);

impl ShutdownTrigger {
    /// Requests the shutdown.
    pub fn request(&self) {
        self.0.send_replace(true);
    }
}

/// Shows a task whether shutdown is requested.
#[derive(Debug, Clone)]
pub struct Shutdown(watch::Receiver<bool>);

impl Shutdown {
    /// Creates a shutdown that is not requested, with its trigger.
    #[must_use]
    pub fn channel() -> (ShutdownTrigger, Self) {
        let (trigger, shutdown) = watch::channel(false);
        (ShutdownTrigger(trigger), Self(shutdown))
    }

    /// Returns whether shutdown is requested.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until shutdown is requested.
    pub async fn requested(&mut self) {
        // A dropped trigger is a request.
        let _ = self.0.wait_for(|is_requested| *is_requested).await;
    }

    /// Waits until shutdown is requested, for tasks that own their shutdown.
    pub async fn wait(mut self) {
        self.requested().await;
    }

    /// Sleeps, or returns early at shutdown.
    pub async fn sleep(&mut self, time: Duration) {
        tokio::select! {
            () = self.requested() => {}
            () = tokio::time::sleep(time) => {}
        }
    }
}

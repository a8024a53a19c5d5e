//! Immediate dispatch of queued messages.
//!
//! Without it the delivery workers claim each message and read its content again: 12 % fewer unsigned and 19 % fewer
//! signed messages a second (`docs/performance.md`).

use super::WorkJournal;
use crate::model::{Claim, QueuedMail};

/// Dispatches messages that this process queues, without polling.
pub trait Courier: Send + Sync {
    /// Reserves capacity for a message of this size before it is queued. `None` when capacity is exhausted or older
    /// messages wait in the queue.
    fn departure(&self, mail: &QueuedMail, bytes: usize) -> Option<Box<dyn Departure>>;

    /// Returns the journal of claims.
    fn journal(&self) -> &dyn WorkJournal;

    /// [Finishes](crate::app::finish) a claim of a cancelled caller that may have been committed.
    fn finish(&self, claim: Claim);
}

/// Reserved capacity for a message, released on drop.
pub trait Departure: Send {
    /// Dispatches the queued and claimed message.
    fn go(self: Box<Self>, mail: QueuedMail, raw: Vec<u8>);
}

//! Taking mail out as soon as it is queued.

use super::WorkJournal;
use crate::model::{Claim, QueuedMail};

/// Takes mail out that this process queues, so that nobody has to look for it in the queue.
pub trait Courier: Send + Sync {
    /// A place for a mail of so many octets that is about to be queued; `None` where there is none, or where others wait in
    /// the queue.
    fn departure(&self, mail: &QueuedMail, octets: usize) -> Option<Box<dyn Departure>>;

    /// Where claims are noted.
    fn journal(&self) -> &dyn WorkJournal;

    /// Has a claim [finished](crate::app::finish) that may have been made, by whoever is gone.
    fn finish(&self, claim: Claim);
}

/// A place that is kept for a mail. Dropped, it is free again.
pub trait Departure: Send {
    /// The mail is queued, claimed, and leaves.
    fn go(self: Box<Self>, mail: QueuedMail, raw: Vec<u8>);
}

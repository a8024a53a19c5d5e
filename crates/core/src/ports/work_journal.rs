//! What the workers of a process have in hand, written down where it outlives them.

use crate::model::{Claim, ClaimedMail, DeliveryOutcome};

/// Notes what a process has in hand, so that another can finish it should this one be killed.
///
/// It is a net below storage, which is the truth: what is missing in it costs the time until a claim runs out, or a
/// mail that goes out twice, never one that does not. So only a claim can fail; what else could not be noted is said in the log.
pub trait WorkJournal: Send + Sync {
    /// Notes claims before they are committed, and returns whether they are noted: of a claim that is in storage, the journal
    /// knows. What cannot be noted must not be claimed.
    fn begun(&self, claims: &[Claim]) -> bool;

    /// The world has answered: what became of each recipient of a mail, in their order. To be noted before anything else
    /// is done.
    fn answered(&self, mail: ClaimedMail, outcomes: &[DeliveryOutcome]);

    /// What came of it is stored, or there is nothing to store.
    fn settled(&self, claim: Claim);
}

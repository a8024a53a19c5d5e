//! Journal of claimed work that survives a crash of the process.

use crate::model::{Claim, ClaimedMail, DeliveryOutcome};

/// Records the claims of a process so that another process can recover them.
///
/// Storage is the source of truth. A missing entry costs the time until the lease expires, or a duplicate delivery, but
/// never loses a message. Therefore only the record of a claim can fail; other failures are logged.
pub trait WorkJournal: Send + Sync {
    /// Records claims before they are committed and returns whether the record succeeded. A claim that was not recorded
    /// must not be committed, so the journal knows every stored claim.
    fn begun(&self, claims: &[Claim]) -> bool;

    /// Records the outcome for each recipient of a message, in order. The caller records it before anything else.
    fn answered(&self, mail: ClaimedMail, outcomes: &[DeliveryOutcome]);

    /// Records that the outcome is stored, or that there is none to store.
    fn settled(&self, claim: Claim);
}

//! Work claimed by a worker.

use uuid::Uuid;

use super::{ClaimedDraft, DeliveryOutcome, OrganizationId, OutgoingId, QueuedMail};

/// A queued message in one delivery attempt.
///
/// The claim ends when the attempt is recorded or another one begins. It has an id of its own: two processes may begin
/// an attempt with the same number, one of them from stale data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClaimedMail {
    /// Organization of the message.
    pub organization_id: OrganizationId,
    /// The queued message.
    pub outgoing_id: OutgoingId,
    /// Id of the claim; nil for an unclaimed message.
    pub claim_id: Uuid,
}

impl From<&QueuedMail> for ClaimedMail {
    fn from(mail: &QueuedMail) -> Self {
        Self {
            organization_id: mail.organization_id,
            outgoing_id: mail.outgoing_id,
            claim_id: mail.claim_id.unwrap_or_default(),
        }
    }
}

/// Work to which one worker has the exclusive right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Claim {
    /// A delivery attempt of a message.
    Mail(ClaimedMail),
    /// The send of a scheduled draft.
    Draft(ClaimedDraft),
}

/// Claimed work without a stored outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenWork {
    /// The claim.
    pub claim: Claim,
    /// Outcome of each recipient, in order, if known.
    pub outcomes: Option<Vec<DeliveryOutcome>>,
}

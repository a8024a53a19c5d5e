//! What a worker has taken in hand.

use uuid::Uuid;

use super::{ClaimedDraft, OrganizationId, Outcome, Outgoing, OutgoingId};

/// A mail of the queue in one of its attempts. The claim holds until the attempt is recorded or another one begins. It
/// goes by an id of its own: two processes may begin what is the same attempt by its number, one of them from what it has
/// read before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClaimedMail {
    /// Whose mail it is.
    pub organization_id: OrganizationId,
    /// The mail.
    pub outgoing_id: OutgoingId,
    /// The claim; nil for a mail that nobody has claimed.
    pub claim_id: Uuid,
}

impl From<&Outgoing> for ClaimedMail {
    fn from(mail: &Outgoing) -> Self {
        Self {
            organization_id: mail.organization_id,
            outgoing_id: mail.outgoing_id,
            claim_id: mail.claim_id.unwrap_or_default(),
        }
    }
}

/// What a worker has taken in hand, and nobody else may do meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Claim {
    /// An attempt to deliver a mail.
    Mail(ClaimedMail),
    /// Sending a scheduled draft.
    Draft(ClaimedDraft),
}

/// Work that was begun, and whose end is not stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    /// What was begun.
    pub claim: Claim,
    /// What became of each recipient of the mail, in their order, where that is known.
    pub outcomes: Option<Vec<Outcome>>,
}

//! Legal holds: while one is in force, nothing of its scope is deleted.

use time::OffsetDateTime;

use super::{Actor, InboxId, OrganizationId};

/// Scope of a legal hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LegalHoldScope {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The inbox; `None` for all of the organization.
    pub inbox_id: Option<InboxId>,
}

/// A legal hold in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LegalHold {
    /// What it covers.
    pub scope: LegalHoldScope,
    /// Why nothing may be deleted.
    pub reason: String,
    /// The person that placed it or changed its reason last.
    pub placed_by: Actor,
    /// Time at which it was placed.
    pub placed_at: OffsetDateTime,
}

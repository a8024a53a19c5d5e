//! Pods: groups of inboxes, for example one per customer.

use time::OffsetDateTime;

use super::{OrganizationId, PodId, QuarantineMode};

/// A group of inboxes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pod {
    /// The owner.
    pub organization_id: OrganizationId,
    /// Its id.
    pub pod_id: PodId,
    /// Human-readable name.
    pub name: String,
    /// The caller's idempotency key of its creation.
    pub client_id: Option<String>,
    /// Own quarantine of messages that its inboxes receive, beside that of the organization.
    pub quarantine: Option<QuarantineMode>,
    /// Time of creation.
    pub created_at: OffsetDateTime,
    /// Time of the last change.
    pub updated_at: OffsetDateTime,
}

//! Groups of inboxes, for example one customer a pod.

use time::OffsetDateTime;

use super::{OrganizationId, PodId};

/// A group of inboxes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pod {
    /// The owner.
    pub organization_id: OrganizationId,
    /// Its id.
    pub pod_id: PodId,
    /// A name for people.
    pub name: String,
    /// The caller's idempotency key of its creation.
    pub client_id: Option<String>,
    /// When it was made.
    pub created_at: OffsetDateTime,
    /// When it last changed.
    pub updated_at: OffsetDateTime,
}

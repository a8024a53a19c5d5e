//! Storage capacity.

use crate::model::OrganizationId;

/// Storage capacity, cached for some seconds, so checks are cheap.
pub trait Capacity: Send + Sync {
    /// Returns whether enough disk space is free.
    fn has_space(&self) -> bool;

    /// Returns whether an organization may receive messages. It may exceed its allowance up to a hard limit.
    fn may_receive(&self, organization_id: OrganizationId) -> bool;
}

/// Unlimited capacity.
#[derive(Debug, Clone, Copy)]
pub struct Unbounded;

impl Capacity for Unbounded {
    fn has_space(&self) -> bool {
        true
    }

    fn may_receive(&self, _: OrganizationId) -> bool {
        true
    }
}

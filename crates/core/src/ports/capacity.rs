//! Room for what grows.

use crate::model::OrganizationId;

/// What there is room for. Answers are seconds old and cost nothing.
pub trait Capacity: Send + Sync {
    /// Returns whether there is disk space for what grows.
    fn has_space(&self) -> bool;

    /// Returns whether an organization takes mail: beyond its allowance it does, up to a hard stop.
    fn may_receive(&self, organization_id: OrganizationId) -> bool;
}

/// Room for everything.
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

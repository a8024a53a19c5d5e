//! Counts over time.

use inboxd_port_macros::port;

use super::StoreError;
use crate::model::metrics::{EventCount, TimeSpan, UsageSample, UsageTotals};
use crate::model::{EventType, OrganizationId, Scope};

/// Which events to count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventCountQuery {
    /// Whose.
    pub organization_id: OrganizationId,
    /// Which part of it.
    pub scope: Scope,
    /// Only those of one of these kinds; empty means all.
    pub event_types: Vec<EventType>,
    /// When they happened, and into which buckets they are counted.
    pub span: TimeSpan,
    /// The most events that are looked at.
    pub most: u64,
}

/// What was counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventCounts {
    /// Whether the window has more events than could be looked at, so that the buckets do not hold all.
    pub is_cut: bool,
    /// The buckets that are not empty, by kind, oldest first.
    pub buckets: Vec<EventCount>,
}

/// Questions about counts.
#[port]
pub trait MetricReads {
    /// Counts events by kind and bucket.
    async fn count_events(&self, query: &EventCountQuery) -> Result<EventCounts, StoreError>;

    /// What a scope uses now.
    async fn usage_totals(&self, organization_id: OrganizationId, scope: &Scope) -> Result<UsageTotals, StoreError>;

    /// The samples of a scope within a span, and the last one before it, oldest first.
    async fn usage_samples(
        &self,
        organization_id: OrganizationId,
        scope: &Scope,
        span: &TimeSpan,
    ) -> Result<Vec<UsageSample>, StoreError>;
}

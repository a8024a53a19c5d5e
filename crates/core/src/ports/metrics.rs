//! Event counts and usage over time.

use inboxd_port_macros::port;
use time::Date;

use super::StoreError;
use crate::model::metrics::{EventCount, TimeSpan, UsageSample, UsageTotals};
use crate::model::{EventType, OrganizationId, Scope, SendingCounts};

/// Filter of an event count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventCountQuery {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The scope.
    pub scope: Scope,
    /// Only events of these types; empty selects all.
    pub event_types: Vec<EventType>,
    /// The time span and its buckets.
    pub span: TimeSpan,
    /// The maximum number of events to scan.
    pub most: u64,
}

/// Result of an event count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventCounts {
    /// Whether the span has more events than the limit, so that the counts are incomplete.
    pub is_cut: bool,
    /// The non-empty buckets, by type, oldest first.
    pub buckets: Vec<EventCount>,
}

/// Reads of metrics.
#[port]
pub trait MetricReads {
    /// Counts events by type and bucket.
    async fn count_events(&self, query: &EventCountQuery) -> Result<EventCounts, StoreError>;

    /// Counts the recipients of events by type and bucket. Events of other types than those of the query are not counted.
    async fn count_recipients(&self, query: &EventCountQuery) -> Result<EventCounts, StoreError>;

    /// Returns the counts of the organizations with at least `least` bounces or complaints (in this order), or whose
    /// sending is slowed, beginning with a day (UTC): at most `limit` behind `after`, by id. Organizations whose sending is
    /// held are left out.
    async fn sending_counts(
        &self,
        first_day: Date,
        least: (u64, u64),
        after: Option<OrganizationId>,
        limit: u32,
    ) -> Result<Vec<(OrganizationId, SendingCounts)>, StoreError>;

    /// Returns the current usage of a scope.
    async fn usage_totals(&self, organization_id: OrganizationId, scope: &Scope) -> Result<UsageTotals, StoreError>;

    /// Returns the samples of a scope within a span and at least the last sample before it, oldest first.
    async fn usage_samples(
        &self,
        organization_id: OrganizationId,
        scope: &Scope,
        span: &TimeSpan,
    ) -> Result<Vec<UsageSample>, StoreError>;
}

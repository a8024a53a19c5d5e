//! Event counts and usage over time.

use std::collections::BTreeMap;

use inboxd_core::app::metrics::{EventSeries, UsageSeries};
use serde::Serialize;
use utoipa::ToSchema;

use super::time::format_time;

/// Number of events in a time bucket.
#[derive(Serialize, ToSchema)]
#[schema(as = MetricBucket)]
pub(crate) struct MetricBucketView {
    /// Start of the bucket.
    #[schema(format = DateTime)]
    timestamp: String,
    /// Number of events.
    count: u64,
}

/// Event counts by type. Buckets and types without events are omitted.
#[derive(Serialize, ToSchema)]
pub(crate) struct EventCounts(BTreeMap<String, Vec<MetricBucketView>>);

impl From<EventSeries> for EventCounts {
    fn from(series: EventSeries) -> Self {
        let by_type = series.into_iter().map(|(event_type, buckets)| {
            let bucket = |bucket: inboxd_core::model::metrics::EventCount| MetricBucketView {
                timestamp: format_time(bucket.timestamp),
                count: bucket.count,
            };
            (event_type.as_str().to_owned(), buckets.into_iter().map(bucket).collect())
        });
        Self(by_type.collect())
    }
}

/// Usage at one point in time.
#[derive(Serialize, ToSchema)]
#[schema(as = UsagePoint)]
pub(crate) struct UsagePointView {
    /// Time of the measurement.
    #[schema(format = DateTime)]
    timestamp: String,
    /// Measured value.
    value: u64,
}

/// Usage over time by type: `storage_bytes`, `message_count`, `thread_count`, `inbox_count`, `pod_count`,
/// `domain_count`.
#[derive(Serialize, ToSchema)]
pub(crate) struct UsagePoints(BTreeMap<String, Vec<UsagePointView>>);

impl From<UsageSeries> for UsagePoints {
    fn from(series: UsageSeries) -> Self {
        let by_type = series.into_iter().map(|(usage_type, points)| {
            let point = |(at, value)| UsagePointView { timestamp: format_time(at), value };
            (usage_type.as_str().to_owned(), points.into_iter().map(point).collect())
        });
        Self(by_type.collect())
    }
}

//! Counts over time.

use std::collections::BTreeMap;

use inboxd_core::app::metrics::{EventSeries, UsageSeries};
use serde::Serialize;
use utoipa::ToSchema;

use super::time::format_time;

/// How many events happened within a bucket of time.
#[derive(Serialize, ToSchema)]
#[schema(as = MetricBucket)]
pub(crate) struct MetricBucketView {
    /// When the bucket begins.
    #[schema(format = DateTime)]
    timestamp: String,
    /// How many.
    count: u64,
}

/// Counts of events by their type. What is empty is left out.
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

/// How much was used at one time.
#[derive(Serialize, ToSchema)]
#[schema(as = UsagePoint)]
pub(crate) struct UsagePointView {
    /// When.
    #[schema(format = DateTime)]
    timestamp: String,
    /// How much.
    value: u64,
}

/// Usage over time by what is measured: `storage_bytes`, `message_count`, `thread_count`, `inbox_count`, `pod_count`,
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

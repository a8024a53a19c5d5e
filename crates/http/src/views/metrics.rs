//! Event counts, rates and usage over time.

use std::collections::BTreeMap;

use inboxd_core::app::metrics::{EventSeries, RateSeries, UsageSeries};
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

/// Rate over the window before a time.
#[derive(Serialize, ToSchema)]
#[schema(as = RatePoint)]
pub(crate) struct RatePointView {
    /// End of the window.
    #[schema(format = DateTime)]
    timestamp: String,
    /// Counted recipients divided by those that messages were sent to, as a fraction; null when nothing was sent. A
    /// bounce can come later than the window of its message, so a rate can exceed 1.
    #[schema(required = true)]
    rate: Option<f64>,
    /// Recipients that messages were sent to in the window.
    sent: u64,
}

/// Rates over time by type: `bounce`, `complaint`, `delivery`.
#[derive(Serialize, ToSchema)]
pub(crate) struct RatePoints(BTreeMap<String, Vec<RatePointView>>);

impl From<RateSeries> for RatePoints {
    fn from(series: RateSeries) -> Self {
        let by_type = series.into_iter().map(|(rate_type, points)| {
            let point = |point: inboxd_core::model::metrics::RatePoint| RatePointView {
                timestamp: format_time(point.timestamp),
                rate: point.rate,
                sent: point.sent,
            };
            (rate_type.as_str().to_owned(), points.into_iter().map(point).collect())
        });
        Self(by_type.collect())
    }
}

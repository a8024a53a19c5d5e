//! `…/metrics` of the organization, a pod or an inbox.

pub(crate) mod events;
pub(crate) mod rates;
pub(crate) mod usage;

use inboxd_core::app::metrics::Cut;
use inboxd_core::model::metrics::RateType;
use inboxd_core::model::{Direction, UsageType};
use inboxd_core::rules::metrics::{DEFAULT_PERIOD, MAX_BUCKETS, MAX_PERIOD, MIN_PERIOD, MetricWindow};
use inboxd_core::rules::rates::DEFAULT_ROLLING;
use time::OffsetDateTime;

use crate::endpoints::events::list::event_types;
use crate::query::formats::{date_time, flag, number, words_of};
use crate::query::{QueryReader, query_params};

query_params! {
    /// Filter of counted events.
    pub(crate) struct EventTypeParams {
        /// Only events of these types.
        event_types: Vec<String> = words_of(event_types),
    }
}

query_params! {
    /// Filter of usage types.
    pub(crate) struct UsageTypeParams {
        /// Only these usage types. Inboxes have no `inbox_count`, `pod_count` and `domain_count`; pods have no
        /// `pod_count`.
        usage_types: Vec<String> = words_of(|| UsageType::ALL.iter().map(|usage_type| usage_type.as_str()).collect()),
    }
}

query_params! {
    /// Rates and the window before each point.
    pub(crate) struct RateParams {
        /// Only these rates.
        rate_types: Vec<String> = words_of(|| RateType::ALL.iter().map(|rate_type| rate_type.as_str()).collect()),
        /// Length of the window before each point in seconds, a multiple of `period`.
        window: Option<u64> =
            number(MIN_PERIOD..=MAX_PERIOD).with_multiple_of(MIN_PERIOD).with_default(DEFAULT_ROLLING),
    }
}

query_params! {
    /// Time window and buckets of metrics.
    pub(crate) struct MetricParams {
        /// Start of the time window, inclusive; by default 24 hours before `end`.
        start: Option<OffsetDateTime> = date_time(),
        /// End of the time window, exclusive, at most 90 days after `start`. The default is the time of the request,
        /// which also replaces a time in the future.
        end: Option<OffsetDateTime> = date_time(),
        /// Length of a bucket in seconds, a multiple of 60. A time window has at most 10,000 buckets.
        period: Option<u64> =
            number(MIN_PERIOD..=MAX_PERIOD).with_multiple_of(MIN_PERIOD).with_default(DEFAULT_PERIOD),
        /// Maximum number of buckets per type.
        limit: Option<u32> = number(1..=MAX_BUCKETS.unsigned_abs()),
        /// Whether the newest bucket is first.
        descending: bool = flag(),
    }
}

/// Reads the time window and the requested part of the response.
fn window(query: &mut QueryReader) -> (MetricWindow, Cut) {
    let MetricParams { start, end, period, limit, descending } = MetricParams::read(query);
    let direction = if descending { Direction::Descending } else { Direction::Ascending };
    let limit = limit.and_then(|limit| usize::try_from(limit).ok());
    (MetricWindow { start, end, period }, Cut { limit, direction })
}

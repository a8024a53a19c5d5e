//! Rolling rates of bounced, complained and delivered messages (`wire.md`, section 3, Metrics).

use std::collections::BTreeMap;

use time::{Duration, OffsetDateTime};

use super::metrics::{self, MetricWindow};
use crate::Error;
use crate::model::TimeSpan;
use crate::model::metrics::RatePoint;

/// Default length of the window before a point, in seconds.
pub const DEFAULT_ROLLING: u64 = 24 * 3600;
/// Maximum buckets of a query: its range and the window before it.
pub const MAX_RATE_BUCKETS: i128 = 1_000;
/// Maximum events that a query reads, with their recipients.
pub const MAX_RATE_EVENTS: u64 = 1_000_000;

/// Range of a query of rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateSpan {
    /// Range of the points, one per bucket.
    pub points: TimeSpan,
    /// Length of the window before a point.
    pub rolling: Duration,
    /// Range of the events: the points and the window before the first one.
    pub counted: TimeSpan,
}

/// Validates the range of a query. The default is the rate of 24 hours at each hour of the last day.
///
/// # Errors
/// [`Error::Invalid`] for a window that is no whole multiple of the period, and as [`metrics::span`];
/// [`Error::QueryRangeTooWide`] for too many buckets.
pub fn rate_span(window: MetricWindow, rolling: Option<u64>, now: OffsetDateTime) -> Result<RateSpan, Error> {
    let points = metrics::span(window, now)?;
    let seconds = i64::try_from(rolling.unwrap_or(DEFAULT_ROLLING)).unwrap_or(i64::MAX);
    if seconds < points.period || seconds % points.period != 0 {
        let problem = format!("must be a multiple of period, which is {} seconds", points.period);
        return Err(Error::invalid("window", problem));
    }
    let rolling = Duration::seconds(seconds);
    let start = points.first_bucket().checked_sub(rolling).unwrap_or(points.start);
    let counted = TimeSpan { start, ..points };
    if counted.bucket_count() > MAX_RATE_BUCKETS {
        let problem =
            format!("range and window have more than {MAX_RATE_BUCKETS} buckets of {} seconds", points.period);
        return Err(Error::QueryRangeTooWide(problem));
    }
    Ok(RateSpan { points, rolling, counted })
}

/// Returns the rate at each point of a range. `sent` and `counted` have the recipients of each bucket by its beginning;
/// a window contains the buckets that begin within it.
#[must_use]
pub fn rate_points(
    span: &RateSpan,
    sent: &BTreeMap<OffsetDateTime, u64>,
    counted: &BTreeMap<OffsetDateTime, u64>,
) -> Vec<RatePoint> {
    let within = |buckets: &BTreeMap<OffsetDateTime, u64>, at: OffsetDateTime| {
        buckets.range(at.checked_sub(span.rolling).unwrap_or(at)..at).map(|(_, count)| count).sum::<u64>()
    };
    let point = |timestamp| {
        let (sent, counted) = (within(sent, timestamp), within(counted, timestamp));
        RatePoint { timestamp, rate: fraction(counted, sent), sent }
    };
    span.points.beginnings().map(point).collect()
}

/// Returns a share; `None` of nothing. Counts beyond 32 bits do not occur within the maximum of events.
fn fraction(part: u64, whole: u64) -> Option<f64> {
    let count = |count: u64| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    (whole > 0).then(|| count(part) / count(whole))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use proptest::prelude::*;
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-11-20 10:30 UTC);

    fn window(period: u64, start: OffsetDateTime) -> MetricWindow {
        MetricWindow { start: Some(start), end: None, period: Some(period) }
    }

    #[test]
    fn default_range_is_a_day_of_hourly_points_over_24_hours() {
        let span = rate_span(MetricWindow::default(), None, NOW).unwrap();
        assert_eq!((span.rolling, span.points.period), (Duration::hours(24), 3600));
        assert_eq!(span.counted.start, datetime!(2026-11-18 10:00 UTC));
        let points = rate_points(&span, &BTreeMap::new(), &BTreeMap::new());
        assert_eq!(points.len(), 24);
        assert_eq!(points[23].timestamp, datetime!(2026-11-20 10:00 UTC));
        assert!(points.iter().all(|point| point.rate.is_none() && point.sent == 0));
    }

    #[test]
    fn window_that_is_no_multiple_and_too_many_buckets_are_refused() {
        for (period, rolling) in [(3600, 5400), (3600, 60), (120, 180)] {
            let refused = rate_span(window(period, NOW - Duration::HOUR), Some(rolling), NOW);
            assert!(matches!(refused, Err(Error::Invalid(_))), "{period} {rolling}");
        }
        let refused = rate_span(window(60, NOW - Duration::HOUR), Some(59 * 3600), NOW);
        assert!(matches!(refused, Err(Error::QueryRangeTooWide(_))));
    }

    #[test]
    fn points_cover_the_window_before_them() {
        let span = rate_span(window(3600, NOW - Duration::hours(2)), Some(7200), NOW).unwrap();
        let sent = BTreeMap::from([(datetime!(2026-11-20 7:00 UTC), 6), (datetime!(2026-11-20 8:00 UTC), 4)]);
        let bounced = BTreeMap::from([(datetime!(2026-11-20 8:00 UTC), 1)]);
        let points = rate_points(&span, &sent, &bounced);
        let rates: Vec<_> = points.iter().map(|point| (point.timestamp.hour(), point.rate, point.sent)).collect();
        assert_eq!(rates, [(9, Some(0.1), 10), (10, Some(0.25), 4)]);
    }

    proptest! {
        #[test]
        fn rate_is_share_of_recipients_within_the_window(counts in prop::collection::vec((0u32..1000, 0u32..1000), 1..48)) {
            let span = rate_span(window(3600, NOW - Duration::hours(24)), None, NOW).unwrap();
            let at = |number: usize| span.counted.start + Duration::hours(i64::try_from(number).unwrap());
            let sent: BTreeMap<_, _> = counts.iter().enumerate().map(|(n, (sent, _))| (at(n), u64::from(*sent))).collect();
            let hit: BTreeMap<_, _> = counts.iter().enumerate().map(|(n, (_, hit))| (at(n), u64::from(*hit))).collect();
            for point in rate_points(&span, &sent, &hit) {
                let inside = |when: &OffsetDateTime| *when < point.timestamp && *when >= point.timestamp - span.rolling;
                let total = |of: &BTreeMap<OffsetDateTime, u64>| of.iter().filter(|(when, _)| inside(when)).map(|(_, n)| n).sum::<u64>();
                prop_assert_eq!(point.sent, total(&sent));
                prop_assert_eq!(point.rate.is_none(), point.sent == 0);
            }
        }
    }
}

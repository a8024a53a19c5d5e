//! Valid time ranges of metrics, and usage series from samples (`wire.md`, section 3, Metrics).

use time::{Duration, OffsetDateTime};

use crate::model::TimeSpan;
use crate::model::metrics::UsageSample;
use crate::{Error, FieldError};

/// Default bucket length in seconds.
pub const DEFAULT_PERIOD: u64 = 3600;
/// Minimum bucket length in seconds; all others are multiples of it.
pub const MIN_PERIOD: u64 = 60;
/// Maximum bucket length in seconds: the longest window.
pub const MAX_PERIOD: u64 = 90 * 24 * 3600;
/// Default length of a window without a start.
pub const DEFAULT_WINDOW: Duration = Duration::hours(24);
/// Maximum length of a window.
pub const MAX_WINDOW: Duration = Duration::days(90);
/// Maximum buckets of a window, including those partly outside.
pub const MAX_BUCKETS: i64 = 10_000;
/// Maximum events of a window. An index scan counts this many within seconds.
pub const MAX_EVENTS: u64 = 5_000_000;

/// Tolerance for a window that ends now: it grew while the request was in transit.
const TRANSIT_TOLERANCE: Duration = Duration::MINUTE;

/// Window of a metrics request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MetricWindow {
    /// Inclusive start.
    pub start: Option<OffsetDateTime>,
    /// Exclusive end; future times are cut off.
    pub end: Option<OffsetDateTime>,
    /// Bucket length in seconds.
    pub period: Option<u64>,
}

/// Validates a window. The default is the last 24 hours in buckets of one hour.
///
/// # Errors
/// [`Error::Invalid`] for a period that is no whole number of minutes, or a window that ends before it begins;
/// [`Error::QueryRangeTooWide`].
pub fn span(window: MetricWindow, now: OffsetDateTime) -> Result<TimeSpan, Error> {
    let period = window.period.unwrap_or(DEFAULT_PERIOD);
    let mut problems = Vec::new();
    if !(MIN_PERIOD..=MAX_PERIOD).contains(&period) || !period.is_multiple_of(MIN_PERIOD) {
        let allowed = format!("must be a multiple of {MIN_PERIOD} seconds, at most {MAX_PERIOD}");
        problems.push(FieldError::new("period", allowed));
    }
    // The present millisecond is included.
    let latest = now + Duration::MILLISECOND;
    let end = window.end.unwrap_or(latest);
    let start = window.start.unwrap_or(end - DEFAULT_WINDOW);
    if start > end && window.end.is_some() {
        problems.push(FieldError::new("start", "start lies after end"));
    }
    Error::unless_empty(problems)?;
    let ends_now = end >= latest;
    let end = end.min(latest).max(start);
    let period = i64::try_from(period).unwrap_or(i64::MAX);
    // The span to validate.
    let asked = TimeSpan { start, end: if ends_now { end - TRANSIT_TOLERANCE } else { end }, period };
    if asked.end - start > MAX_WINDOW {
        return Err(Error::QueryRangeTooWide(format!("the window is longer than {} days", MAX_WINDOW.whole_days())));
    }
    if asked.bucket_count() > i128::from(MAX_BUCKETS) {
        return Err(Error::QueryRangeTooWide(format!("the window has more than {MAX_BUCKETS} buckets")));
    }
    Ok(TimeSpan { start, end, period })
}

/// Returns usage over a span: one point at the start of each bucket, and one for now if the span includes it.
///
/// `samples` are in time order and written at each change, so each point has the value of the last sample before it.
/// Buckets before the first sample have no point.
#[must_use]
pub fn series(span: &TimeSpan, samples: &[UsageSample], now: UsageSample) -> Vec<UsageSample> {
    let reaches_now = span.start <= now.taken_at && now.taken_at < span.end;
    let mut rest = samples.iter().peekable();
    let mut last = None;
    let mut points = Vec::new();
    for at in span.beginnings() {
        while let Some(sample) = rest.next_if(|sample| sample.taken_at <= at) {
            last = Some(sample);
        }
        if let Some(sample) = last
            && !(reaches_now && at == now.taken_at)
        {
            points.push(UsageSample { taken_at: at, totals: sample.totals });
        }
    }
    if reaches_now {
        points.push(now);
    }
    points
}

//! Which spans of time can be counted over, and how usage is drawn from its samples (`wire.md`, section 3, Metrics).

use time::{Duration, OffsetDateTime};

use crate::model::Span;
use crate::model::metrics::UsageSample;
use crate::{Error, FieldError};

/// The length of a bucket where the caller names none, in seconds.
pub const DEFAULT_PERIOD: u64 = 3600;
/// The shortest bucket, of which all others are multiples, in seconds.
pub const SHORTEST_PERIOD: u64 = 60;
/// The longest bucket, in seconds: as long as the longest window.
pub const LONGEST_PERIOD: u64 = 90 * 24 * 3600;
/// How far back a query reaches when the caller names no start.
pub const DEFAULT_WINDOW: Duration = Duration::hours(24);
/// The longest window.
pub const LONGEST_WINDOW: Duration = Duration::days(90);
/// The most buckets of a window, those that lie partly outside included.
pub const MOST_BUCKETS: i64 = 10_000;
/// The most events of a window: so many are counted within seconds. Counting is a walk along an index.
pub const MOST_EVENTS: u64 = 5_000_000;

/// By how much a window that ends now may be too long: it grew while the request was on its way.
const ON_THE_WAY: Duration = Duration::MINUTE;

/// The window that a caller asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Window {
    /// Not before this.
    pub start: Option<OffsetDateTime>,
    /// Before this; what lies in the future is left out.
    pub end: Option<OffsetDateTime>,
    /// The length of a bucket, in seconds.
    pub period: Option<u64>,
}

/// The span of a window, the last 24 hours in buckets of an hour unless something else is named.
///
/// # Errors
/// [`Error::Invalid`] for a period that is no whole number of minutes, or a window that ends before it begins;
/// [`Error::QueryRangeTooWide`].
pub fn span(window: Window, now: OffsetDateTime) -> Result<Span, Error> {
    let period = window.period.unwrap_or(DEFAULT_PERIOD);
    let mut problems = Vec::new();
    if !(SHORTEST_PERIOD..=LONGEST_PERIOD).contains(&period) || !period.is_multiple_of(SHORTEST_PERIOD) {
        let allowed = format!("must be a multiple of {SHORTEST_PERIOD} seconds, at most {LONGEST_PERIOD}");
        problems.push(FieldError::new("period", allowed));
    }
    // What happens at this very moment belongs to it.
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
    // What it is judged by.
    let asked = Span { start, end: if ends_now { end - ON_THE_WAY } else { end }, period };
    if asked.end - start > LONGEST_WINDOW {
        return Err(Error::QueryRangeTooWide(format!(
            "the window is longer than {} days",
            LONGEST_WINDOW.whole_days()
        )));
    }
    if asked.bucket_count() > i128::from(MOST_BUCKETS) {
        return Err(Error::QueryRangeTooWide(format!("the window has more than {MOST_BUCKETS} buckets")));
    }
    Ok(Span { start, end, period })
}

/// Draws usage over a span: a point where each bucket begins, with what was used then, and one for now where the span
/// reaches it. `samples` are in the order of their times and are written when something changed, so that a point says
/// what the last sample before it says; before the first one nothing is known.
#[must_use]
pub fn series(span: &Span, samples: &[UsageSample], now: UsageSample) -> Vec<UsageSample> {
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

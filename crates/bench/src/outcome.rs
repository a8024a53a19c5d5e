//! Errors and numbers of benchmarks.

use std::error::Error;
use std::time::Duration;

/// Result of a benchmark step. The error states the cause.
pub(crate) type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Returns a count as a divisor.
#[expect(clippy::cast_precision_loss, reason = "what is counted here is far below 2^52")]
pub(crate) fn count(of: usize) -> f64 {
    of as f64
}

/// Returns milliseconds.
pub(crate) fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Returns a percentile in milliseconds.
pub(crate) fn percentile(times: &[Duration], part: usize) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let last = sorted.len().saturating_sub(1);
    sorted.get((sorted.len() * part / 100).min(last)).map_or(f64::NAN, |time| ms(*time))
}

//! What can go wrong in a benchmark, and numbers.

use std::error::Error;
use std::time::Duration;

/// A benchmark that cannot be run says why.
pub(crate) type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// A count as a number to divide by.
#[expect(clippy::cast_precision_loss, reason = "what is counted here is far below 2^52")]
pub(crate) fn count(of: usize) -> f64 {
    of as f64
}

/// Milliseconds.
pub(crate) fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The time that so many of a hundred stay below, in milliseconds.
pub(crate) fn percentile(times: &[Duration], part: usize) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let last = sorted.len().saturating_sub(1);
    sorted.get((sorted.len() * part / 100).min(last)).map_or(f64::NAN, |time| ms(*time))
}

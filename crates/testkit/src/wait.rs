//! Polling for conditions that become true soon.

use std::fmt::Display;
use std::time::Duration;

use tokio::time::{Instant, sleep};

/// Time limit of every wait. It exceeds all expected durations on a busy machine.
pub const WAIT_TIMEOUT: Duration = Duration::from_mins(1);

/// Shortest and longest pause between two attempts. A pause is a tenth of the wait so far: attempts take processor time from
/// the server that they wait for.
const MIN_PAUSE: Duration = Duration::from_millis(10);
const MAX_PAUSE: Duration = Duration::from_millis(100);

/// Repeats an attempt until it returns a value.
///
/// # Panics
///
/// After [`WAIT_TIMEOUT`]; the panic names the condition.
pub async fn eventually<T>(condition: &str, mut attempt: impl AsyncFnMut() -> Option<T>) -> T {
    eventually_ok(condition, async || attempt().await.ok_or("")).await
}

/// Repeats an attempt until it succeeds.
///
/// # Panics
///
/// After [`WAIT_TIMEOUT`]; the panic names the condition and the last error.
pub async fn eventually_ok<T, E: Display>(condition: &str, attempt: impl AsyncFnMut() -> Result<T, E>) -> T {
    eventually_within(WAIT_TIMEOUT, condition, attempt).await
}

/// Repeats an attempt until it succeeds, with another time limit.
///
/// # Panics
///
/// After the limit; the panic names the condition and the last error.
pub async fn eventually_within<T, E: Display>(
    limit: Duration,
    condition: &str,
    mut attempt: impl AsyncFnMut() -> Result<T, E>,
) -> T {
    let began = Instant::now();
    loop {
        match attempt().await {
            Ok(value) => return value,
            Err(error) => assert!(began.elapsed() < limit, "not within {limit:?}: {condition} {error}"),
        }
        sleep((began.elapsed() / 10).clamp(MIN_PAUSE, MAX_PAUSE)).await;
    }
}

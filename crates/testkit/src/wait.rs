//! Polling for conditions that become true soon.

use std::fmt::Display;
use std::time::Duration;

use tokio::time::{Instant, sleep};

/// Time limit of every wait. It exceeds all expected durations on a busy machine.
pub const WAIT_TIMEOUT: Duration = Duration::from_mins(1);

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
pub async fn eventually_ok<T, E: Display>(condition: &str, mut attempt: impl AsyncFnMut() -> Result<T, E>) -> T {
    let end = Instant::now() + WAIT_TIMEOUT;
    loop {
        match attempt().await {
            Ok(value) => return value,
            Err(error) => assert!(Instant::now() < end, "not within {WAIT_TIMEOUT:?}: {condition} {error}"),
        }
        sleep(Duration::from_millis(20)).await;
    }
}

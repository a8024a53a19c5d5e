//! Waiting for what happens soon, without sleeping longer than it takes.

use std::fmt::Display;
use std::time::Duration;

use tokio::time::{Instant, sleep};

/// How long a test waits for something before it fails. Far more than anything takes, even on a busy machine.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// Asks again until there is an answer.
///
/// # Panics
///
/// When there is none after [`PATIENCE`]; the panic names what was waited for.
pub async fn eventually<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    eventually_ok(what, async || ask().await.ok_or("")).await
}

/// Asks again until it goes well.
///
/// # Panics
///
/// When it has not after [`PATIENCE`]; the panic names what was waited for, and the last error.
pub async fn eventually_ok<T, E: Display>(what: &str, mut ask: impl AsyncFnMut() -> Result<T, E>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        match ask().await {
            Ok(answer) => return answer,
            Err(error) => assert!(Instant::now() < end, "it did not come to this within {PATIENCE:?}: {what} {error}"),
        }
        sleep(Duration::from_millis(20)).await;
    }
}

//! Waiting for what happens soon, without sleeping longer than it takes.

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
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(answer) = ask().await {
            return answer;
        }
        assert!(Instant::now() < end, "it did not come to this within {PATIENCE:?}: {what}");
        sleep(Duration::from_millis(20)).await;
    }
}

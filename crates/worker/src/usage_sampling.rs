//! Hourly samples of usage, from which metrics are drawn.

use std::time::Duration;

use inboxd_core::app::App;
use inboxd_core::app::metrics::{hour_of, sample_usage};

use crate::shutdown::Shutdown;

/// The time between two checks whether a new hour has begun.
const HOUR_POLL_INTERVAL: Duration = Duration::from_mins(1);

/// Samples usage at the start and soon after each hour begins, until shutdown. Several processes may do so: the first sample
/// of an hour counts.
pub(crate) async fn sample(app: App, mut shutdown: Shutdown) {
    let mut sampled = None;
    while !shutdown.is_requested() {
        let hour = hour_of(app.clock.now());
        if sampled != Some(hour) && sample_all(&app, &shutdown).await {
            sampled = Some(hour);
        }
        shutdown.sleep(HOUR_POLL_INTERVAL).await;
    }
}

/// Samples every organization, in batches. Returns whether all succeeded; the next poll repeats the others.
async fn sample_all(app: &App, shutdown: &Shutdown) -> bool {
    let mut after = None;
    while !shutdown.is_requested() {
        match sample_usage(app, after).await {
            Ok(None) => return true,
            Ok(last) => after = last,
            Err(error) => {
                tracing::error!(%error, retry_in = ?HOUR_POLL_INTERVAL, "usage not sampled");
                return false;
            }
        }
    }
    false
}

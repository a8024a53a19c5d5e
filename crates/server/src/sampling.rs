//! Once an hour, what is used is written down, so that it can be drawn over time.

use std::time::Duration;

use inboxd_core::app::App;
use inboxd_core::app::metrics::{hour_of, sample_usage};

use crate::serve::Shutdown;

/// How often the hour is looked at.
const LOOK: Duration = Duration::from_mins(1);

/// Samples what is used until shutdown: at the start, and then soon after each hour begins. Any number of processes may do
/// so; the first one counts.
pub(crate) async fn sample(app: App, mut shutdown: Shutdown) {
    let mut sampled = None;
    while !shutdown.has_come() {
        let hour = hour_of(app.clock.now());
        if sampled != Some(hour) && sample_all(&app, &shutdown).await {
            sampled = Some(hour);
        }
        tokio::select! {
            () = shutdown.comes() => {}
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}

/// Samples every organization, some at a time. Answers whether all were; those that were not are tried again.
async fn sample_all(app: &App, shutdown: &Shutdown) -> bool {
    let mut after = None;
    while !shutdown.has_come() {
        match sample_usage(app, after).await {
            Ok(None) => return true,
            Ok(last) => after = last,
            Err(error) => {
                tracing::error!(%error, "what is used could not be sampled; it is tried again");
                return false;
            }
        }
    }
    false
}

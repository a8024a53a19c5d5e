//! Replays: repeated delivery of past events, queued in batches.

use std::time::Duration;

use inboxd_core::app::App;
use inboxd_core::app::webhooks;

use crate::shutdown::Shutdown;

/// The time between two checks for replays. The request that starts a replay queues its first batch.
const REPLAY_POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Continues replays until shutdown.
pub(crate) async fn replay(app: App, mut shutdown: Shutdown) {
    while !shutdown.is_requested() {
        let has_more = webhooks::go_on(&app).await.unwrap_or_else(|error| {
            tracing::error!(%error, retry_in = ?REPLAY_POLL_INTERVAL, "replay batch not queued");
            false
        });
        if !has_more {
            shutdown.sleep(REPLAY_POLL_INTERVAL).await;
        }
    }
}

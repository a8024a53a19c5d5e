//! Queueing what webhooks are to be told again, stretch by stretch.

use std::time::Duration;

use inboxd_core::app::App;
use inboxd_core::app::webhooks;

use crate::serve::Shutdown;

/// How long it sleeps when no replay can go on. The first stretch is queued by whoever asks for it.
const POLL: Duration = Duration::from_secs(1);

/// Goes on with replays until shutdown.
pub(crate) async fn replay(app: App, mut shutdown: Shutdown) {
    while !shutdown.has_come() {
        let went_on = webhooks::go_on(&app).await.unwrap_or_else(|error| {
            tracing::error!(%error, "a replay of events for a webhook could not go on");
            false
        });
        if went_on {
            continue;
        }
        tokio::select! {
            () = shutdown.comes() => {}
            () = tokio::time::sleep(POLL) => {}
        }
    }
}

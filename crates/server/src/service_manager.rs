//! Notifications to the service manager (`sd_notify(3)`): readiness, shutdown, watchdog. Without one they have no effect.

use std::time::Duration;

use inboxd_worker::Shutdown;
use sd_notify::NotifyState;

/// Time by which a start is extended, and the interval of extensions.
const EXTENSION: Duration = Duration::from_mins(1);
const EXTENSION_INTERVAL: Duration = Duration::from_secs(15);

fn notify(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!(%error, "service manager not notified");
    }
}

/// Reports that every listener is open and the schema is right.
pub(crate) fn ready() {
    notify(NotifyState::Ready);
}

/// Reports the begin of the shutdown.
pub(crate) fn stopping() {
    notify(NotifyState::Stopping);
}

/// Extends the time limit of the start while a future runs, such as a migration.
pub(crate) async fn extend_start<T>(work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            done = &mut work => return done,
            () = tokio::time::sleep(EXTENSION_INTERVAL) => {
                let time = u32::try_from(EXTENSION.as_micros()).unwrap_or(u32::MAX);
                notify(NotifyState::ExtendTimeoutUsec(time));
            }
        }
    }
}

/// Proves to the watchdog that the runtimes turn, twice in its interval, until shutdown. A ping starts a task on the runtime
/// and a computation on a blocking thread. It does not ask the database: its outage would become a restart loop.
pub(crate) async fn feed_watchdog(mut shutdown: Shutdown) {
    let Some(interval) = sd_notify::watchdog_enabled() else { return };
    while !shutdown.is_requested() {
        let turned = tokio::spawn(tokio::task::spawn_blocking(|| {})).await;
        if matches!(turned, Ok(Ok(()))) {
            notify(NotifyState::Watchdog);
        }
        shutdown.sleep(interval / 2).await;
    }
}

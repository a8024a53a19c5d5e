//! Signals of other processes.

use std::time::Duration;

use inboxd_core::ports::Signal;

use crate::ports::WorkerPorts;
use crate::shutdown::Shutdown;

/// The time until a lost connection is opened again.
const LISTEN_RETRY_DELAY: Duration = Duration::from_secs(1);

/// Passes the signals of other processes on until shutdown.
pub async fn listen_to_signals(ports: WorkerPorts, on_signal: impl Fn(Signal) + Send + Sync, mut shutdown: Shutdown) {
    let on_signal = |signal| {
        tracing::debug!(?signal, "signal received");
        on_signal(signal);
    };
    while !shutdown.is_requested() {
        let ended = tokio::select! {
            () = shutdown.requested() => return,
            ended = ports.signals.listen(&on_signal) => ended,
        };
        if let Err(error) = ended {
            tracing::warn!(%error, retry_in = ?LISTEN_RETRY_DELAY, "signal connection lost");
        }
        shutdown.sleep(LISTEN_RETRY_DELAY).await;
    }
}

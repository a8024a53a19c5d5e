//! Supervisor of the embedded database, which restarts it after a crash.

use std::time::Duration;

use inboxd_postgres::embedded::{Embedded, EmbeddedState};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::failure::{ErrorContext, Failure};

/// Time between two checks.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);
/// Maximum pause between failed starts: each one writes a log line and costs processor time.
const MAX_RESTART_DELAY: Duration = Duration::from_secs(30);

/// Supervised embedded database.
pub(crate) struct Keeper {
    stop: oneshot::Sender<()>,
    task: JoinHandle<Embedded>,
}

impl Keeper {
    /// Starts the supervision of a server.
    pub(crate) fn of(server: Embedded) -> Self {
        let (stop, stopped) = oneshot::channel();
        Self { stop, task: tokio::spawn(keep(server, stopped)) }
    }

    /// Releases the server, and stops it if no other process uses it.
    pub(crate) async fn close(self) -> Result<(), Failure> {
        let _ = self.stop.send(());
        let server = self.task.await.context("the embedded database")?;
        server.stop().await.context("the embedded database")
    }
}

/// Supervises the server until a stop request, or until its sender is dropped.
async fn keep(mut server: Embedded, mut stopped: oneshot::Receiver<()>) -> Embedded {
    let mut pause = CHECK_INTERVAL;
    loop {
        tokio::select! {
            _ = &mut stopped => return server,
            () = tokio::time::sleep(pause) => {}
        }
        let tended = tokio::select! {
            _ = &mut stopped => return server,
            tended = server.tend() => tended,
        };
        match tended {
            Ok(EmbeddedState::Restarted) => tracing::warn!("embedded database restarted"),
            Ok(EmbeddedState::Well | EmbeddedState::Awaited) => {}
            Err(error) => {
                pause = (pause * 2).min(MAX_RESTART_DELAY);
                tracing::error!(%error, retry_in = ?pause, "embedded database not restarted");
                continue;
            }
        }
        pause = CHECK_INTERVAL;
    }
}

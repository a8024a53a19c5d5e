//! Keeps the embedded database running: nobody else would start it again.

use std::time::Duration;

use inboxd_postgres::embedded::{Embedded, Tended};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::failure::{Failure, While};

/// How often it is looked after.
const LOOK: Duration = Duration::from_millis(500);
/// The longest pause where it does not start: every try is a line of the log, and work for the machine.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The embedded database in somebody's care.
pub(crate) struct Keeper {
    stop: oneshot::Sender<()>,
    task: JoinHandle<Embedded>,
}

impl Keeper {
    /// Looks after a server from now on.
    pub(crate) fn of(server: Embedded) -> Self {
        let (stop, stopped) = oneshot::channel();
        Self { stop, task: tokio::spawn(keep(server, stopped)) }
    }

    /// Lets go of the server, and stops it if nobody else uses it.
    pub(crate) async fn close(self) -> Result<(), Failure> {
        let _ = self.stop.send(());
        let server = self.task.await.trying("the embedded database")?;
        server.stop().await.trying("the embedded database")
    }
}

/// Looks after the server until it is told to stop, or nobody is left to tell.
async fn keep(mut server: Embedded, mut stopped: oneshot::Receiver<()>) -> Embedded {
    let mut pause = LOOK;
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
            Ok(Tended::Restarted) => tracing::warn!("the embedded database had ended, and runs again"),
            Ok(Tended::Well | Tended::Awaited) => {}
            Err(error) => {
                tracing::error!(%error, "the embedded database has ended and cannot be started; it is tried again");
                pause = (pause * 2).min(LONGEST_PAUSE);
                continue;
            }
        }
        pause = LOOK;
    }
}

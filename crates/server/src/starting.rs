//! Start of a server: signals, database, secret key and hold of the queue.

use std::io::IsTerminal as _;

use inboxd_core::ports::Clock as _;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::config::Config;
use crate::environment::SystemClock;
use crate::failure::{ErrorContext, Failure};
use crate::secret_key::Keys;
use crate::service_manager::extend_start;
use crate::services::{self, Database, SchemaPolicy};

/// Opens the database and claims it for the secret key of this process; `None` if a signal arrived first.
pub(crate) async fn open_database(
    config: &Config,
    hold: bool,
    signals: &mut StopSignals,
) -> Result<Option<(Database, Keys)>, Failure> {
    let database = tokio::select! {
        opened = extend_start(Database::open(config, SchemaPolicy::Migrate)) => opened?,
        () = signals.received() => return Ok(None),
    };
    match prepare(config, &database, hold).await {
        Ok(keys) => Ok(Some((database, keys))),
        Err(failure) => {
            database.close().await?;
            Err(failure)
        }
    }
}

async fn prepare(config: &Config, database: &Database, hold: bool) -> Result<Keys, Failure> {
    let keys = services::keys(config)?;
    database.claim_secret_key(&keys, &config.data_dir).await?;
    hold_queue(database, hold).await?;
    Ok(keys)
}

/// Holds the queue if requested, and logs an existing hold.
async fn hold_queue(database: &Database, hold: bool) -> Result<(), Failure> {
    let store = &database.store;
    if hold {
        store.begin_hold(SystemClock.now()).await.context("cannot hold the queue")?;
    }
    if let Some(since) = store.held_since().await.context("cannot read the hold of the queue")? {
        let hint = "`inboxd admin queue release` sends the queue, `inboxd admin queue drop` discards it";
        tracing::warn!(%since, hint, "queue held");
    }
    Ok(())
}

/// Stop signals. A signal that arrives before the wait is not lost.
pub(crate) struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
    /// On a terminal: its end. Elsewhere SIGHUP requests a reload.
    hangup: Option<Signal>,
}

impl StopSignals {
    /// Installs the signal handlers.
    pub(crate) fn install() -> Result<Self, Failure> {
        let install = |kind| signal(kind).context("cannot wait for signals");
        let hangup = std::io::stderr().is_terminal().then(|| install(SignalKind::hangup())).transpose()?;
        Ok(Self { terminate: install(SignalKind::terminate())?, interrupt: install(SignalKind::interrupt())?, hangup })
    }

    /// Waits for a stop signal.
    pub(crate) async fn received(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
            () = async {
                match &mut self.hangup {
                    Some(hangup) => drop(hangup.recv().await),
                    None => std::future::pending().await,
                }
            } => {}
        }
    }
}

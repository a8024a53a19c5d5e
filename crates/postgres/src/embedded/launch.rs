//! Start of the server: joins a running one, or launches one with its supervisor.

use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use super::error::EmbeddedError;
use super::hold::{self, ServerHold, StartLock};
use super::home::ServerFolder;
use super::{binaries, cluster, connection, postmaster, settings, socket};

/// The supervisor, a script for `sh`.
const SUPERVISE: &str = include_str!("supervise.sh");

/// Maximum silence of a starting server.
const SILENCE_TIMEOUT: Duration = Duration::from_mins(1);

/// Maximum time of a server's crash recovery.
const RECOVERY_TIMEOUT: Duration = Duration::from_mins(15);

/// Interval between two connection attempts.
const CONNECT_INTERVAL: Duration = Duration::from_millis(20);

/// Time for the supervisor to pass the end of the last hold on to the server.
const SUPERVISOR_DELAY: Duration = Duration::from_millis(100);

/// Waits until the running server responds or has ended. Returns false if there is none to join.
pub(super) async fn join(home: &ServerFolder) -> Result<bool, EmbeddedError> {
    let mut patience = StartDeadline::new();
    loop {
        let running = postmaster::running(home).await?;
        if running.is_none() && !hold::is_supervised(home)? {
            return Ok(false);
        }
        match (running, connection::connect(home).await) {
            (Some(before), Ok(_)) => {
                tokio::time::sleep(SUPERVISOR_DELAY).await;
                let after = postmaster::running(home).await?;
                if after == Some(before) && !before.stopping {
                    return Ok(true);
                }
            }
            // Its supervisor restarts it, or ends too.
            (None, Ok(_)) => {}
            (_, Err(reason)) => patience.spend(home, reason)?,
        }
        tokio::time::sleep(CONNECT_INTERVAL).await;
    }
}

/// Launches a server and waits until it responds.
pub(super) async fn launch(
    home: &ServerFolder,
    hold: &ServerHold,
    lock: &StartLock,
    durable: bool,
) -> Result<Child, EmbeddedError> {
    let binaries = binaries::find(home).await?;
    cluster::ensure(home, &binaries, lock, durable).await?;
    socket::clear(home.socket())?;
    let mut taken = Vec::new();
    for (name, value) in settings::WHERE_TAKEN {
        if binaries::supports_setting(home, &binaries, name, value).await? {
            taken.push((name, value));
        }
    }
    let mut supervisor = home.account().command(Path::new("sh"), home.root());
    supervisor
        .args(["-c", SUPERVISE, "inboxd-database"])
        .arg(home.log())
        .arg(home.cluster().join("postmaster.pid"))
        .arg(binaries.postgres())
        .arg("-D")
        .arg(home.cluster())
        .args(settings::arguments(home.socket(), durable, &taken))
        .stdin(hold.reader()?)
        .stdout(hold::lock_for_supervisor(home).await?);
    let mut supervisor =
        supervisor.spawn().map_err(|source| EmbeddedError::Run { program: "sh".to_owned(), source })?;
    let mut patience = StartDeadline::new();
    loop {
        match connection::connect(home).await {
            Ok(_) => return Ok(supervisor),
            Err(_) if has_ended(&mut supervisor)? => {
                return Err(not_started(home, "it ended at once".to_owned()));
            }
            Err(reason) => patience.spend(home, reason)?,
        }
        tokio::time::sleep(CONNECT_INTERVAL).await;
    }
}

/// Waits for the end of a supervisor after the shutdown of its server.
pub(super) async fn await_exit(home: &ServerFolder, mut supervisor: Child) -> Result<(), EmbeddedError> {
    let begun = Instant::now();
    while !has_ended(&mut supervisor)? {
        if begun.elapsed() > SILENCE_TIMEOUT {
            return Err(EmbeddedError::NotStopped(supervisor.id()));
        }
        tokio::time::sleep(CONNECT_INTERVAL).await;
    }
    tracing::debug!(folder = %home.root().display(), "database server stopped");
    Ok(())
}

/// Returns whether a supervisor has ended, and reaps it.
pub(super) fn has_ended(supervisor: &mut Child) -> Result<bool, EmbeddedError> {
    let status = supervisor.try_wait().map_err(|source| EmbeddedError::Run { program: "sh".to_owned(), source })?;
    Ok(status.is_some())
}

fn not_started(home: &ServerFolder, reason: String) -> EmbeddedError {
    let log = home.log();
    let text = std::fs::read(&log).unwrap_or_default();
    EmbeddedError::NotStarted { reason, tail: binaries::last_lines(&text, 10), log }
}

/// Deadline of connection attempts. A server in crash recovery reports that and gets more time.
struct StartDeadline {
    begun: Instant,
}

impl StartDeadline {
    fn new() -> Self {
        Self { begun: Instant::now() }
    }

    fn spend(&mut self, home: &ServerFolder, reason: String) -> Result<(), EmbeddedError> {
        let recovering = reason.contains("starting up") || reason.contains("recovery");
        let most = if recovering { RECOVERY_TIMEOUT } else { SILENCE_TIMEOUT };
        if self.begun.elapsed() < most {
            return Ok(());
        }
        Err(not_started(home, reason))
    }
}

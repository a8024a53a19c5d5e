//! Embedded PostgreSQL server under the data directory, for installations without a database.
//!
//! The server listens on a unix socket that only its account and root can reach, and on no port. It runs while it has a
//! holder: the first [`start`] launches it, further ones (of this process or another) join it, and the last
//! [`Embedded::stop`] ends it. The hold is an open file, so a crashed holder releases it, and the server never outlives
//! its last user. A supervisor restarts a killed server. [`Embedded::tend`] restarts it if it was stopped or its
//! supervisor was killed too.
//!
//! ```text
//! <data directory>/postgres     0700, of the database account; a link into /var/lib/inboxd if inaccessible to that account
//!     cluster/                  the database
//!     socket/                   the unix socket, unless its path would be too long
//!     holders                   a named pipe that each process with a hold has open
//!     start.lock                held during a start or stop
//!     supervisor.lock           held by the supervisor during its life
//!     server.log, server.log.1  log of the server, of this start and the previous one
//! ```
//!
//! PostgreSQL refuses to run as root. If inboxd is root, the server runs as `inboxd` or `postgres`.

mod account;
pub(crate) mod binaries;
mod cluster;
mod connection;
mod error;
mod hold;
mod home;
mod launch;
mod postmaster;
mod relocate;
mod settings;
mod socket;

use std::path::{Path, PathBuf};
use std::process::Child;

pub(crate) use account::without_private_variables;
pub use error::EmbeddedError;
use hold::{ServerHold, StartLock};
use home::ServerFolder;

/// Name of the database of [`Embedded::url`].
const DATABASE: &str = "inboxd";

/// Location and durability of the server's data.
#[derive(Clone, Debug)]
pub struct EmbeddedOptions {
    /// Data directory of inboxd; the server uses its subfolder `postgres`. It is created if missing.
    pub data_dir: PathBuf,
    /// Whether a commit survives a power loss. Only tests disable it.
    pub durable: bool,
}

/// A running server with a hold on it. Drop releases the hold without waiting.
#[derive(Debug)]
pub struct Embedded {
    home: ServerFolder,
    hold: ServerHold,
    durable: bool,
    joined: bool,
    supervisor: Option<Child>,
    /// Last known server process.
    process: Option<u32>,
}

/// State of the server after [`Embedded::tend`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbeddedState {
    /// It runs.
    Well,
    /// It has ended, and its supervisor is about to restart it.
    Awaited,
    /// It had ended and was restarted.
    Restarted,
}

/// Starts the server of a data directory, or joins a running one, and waits until it responds.
///
/// # Errors
///
/// Each error is a text for the operator; see [`EmbeddedError`].
pub async fn start(options: &EmbeddedOptions) -> Result<Embedded, EmbeddedError> {
    let home = ServerFolder::prepare(&options.data_dir).await?;
    let lock = StartLock::take(&home).await?;
    let hold = ServerHold::take(&home)?;
    let supervisor = if launch::join(&home).await? {
        None
    } else {
        Some(launch::launch(&home, &hold, &lock, options.durable).await?)
    };
    connection::ensure_database(&home, DATABASE).await?;
    drop(lock);
    let process = postmaster::alive(&home).await;
    Ok(Embedded { home, hold, durable: options.durable, joined: supervisor.is_none(), supervisor, process })
}

impl Embedded {
    /// Returns the URL of the database, `postgres://user@/database?host=/socket/folder`.
    #[must_use]
    pub fn url(&self) -> String {
        self.url_of(DATABASE)
    }

    /// Returns the URL of another database of this server, created by [`Embedded::create_database`].
    #[must_use]
    pub fn url_of(&self, database: &str) -> String {
        connection::url(self.home.socket(), database)
    }

    /// Returns whether the server was running already.
    #[must_use]
    pub fn joined(&self) -> bool {
        self.joined
    }

    /// Checks the server, and restarts one that has ended without a supervisor. Callers run it about once a second.
    ///
    /// # Errors
    ///
    /// As for [`start`].
    pub async fn tend(&mut self) -> Result<EmbeddedState, EmbeddedError> {
        if let Some(supervisor) = &mut self.supervisor
            && launch::has_ended(supervisor)?
        {
            self.supervisor = None;
        }
        if let Some(process) = postmaster::alive(&self.home).await {
            let before = self.process.replace(process);
            return Ok(if before == Some(process) { EmbeddedState::Well } else { EmbeddedState::Restarted });
        }
        self.process = None;
        if hold::is_supervised(&self.home)? {
            return Ok(EmbeddedState::Awaited);
        }
        let lock = StartLock::take(&self.home).await?;
        // Another process may have restarted it already.
        if !launch::join(&self.home).await? {
            self.supervisor = Some(launch::launch(&self.home, &self.hold, &lock, self.durable).await?);
        }
        self.process = postmaster::alive(&self.home).await;
        Ok(EmbeddedState::Restarted)
    }

    /// Returns the folder of the database below `/var/lib/inboxd` if the database account cannot reach the data
    /// directory. The operator must be notified of it.
    #[must_use]
    pub fn relocated(&self) -> Option<&Path> {
        self.home.relocated()
    }

    /// Creates a database, empty or as a copy of another one, which must have no connections.
    pub async fn create_database(&self, name: &str, template: Option<&str>) -> Result<(), EmbeddedError> {
        connection::create_database(&self.home, name, template).await
    }

    /// Drops a database and its connections, if it exists.
    pub async fn drop_database(&self, name: &str) -> Result<(), EmbeddedError> {
        connection::drop_database(&self.home, name).await
    }

    /// Releases the hold. The last holder shuts the server down in fast mode and returns when it has ended.
    ///
    /// # Errors
    ///
    /// [`EmbeddedError::NotStopped`] if it still runs after a minute.
    pub async fn stop(self) -> Result<(), EmbeddedError> {
        let _lock = StartLock::take(&self.home).await?;
        if self.hold.is_shared()? {
            return Ok(());
        }
        postmaster::shut_down(&self.home).await?;
        drop(self.hold);
        match self.supervisor {
            Some(supervisor) => launch::await_exit(&self.home, supervisor).await,
            None => Ok(()),
        }
    }
}

//! A private `PostgreSQL` server under the data directory, for those who bring no database of their own.
//!
//! The server listens on a unix socket that nobody but its account and root can reach, and on no port. It lives as long
//! as somebody holds it: the first [`start`] launches it, further ones (of this process or of another) join it, and the
//! last [`Embedded::stop`] ends it. A holder that dies lets go as well, since the hold is an open file; so the server
//! outlives no crash of its last user. A supervisor starts it again should the server itself be killed, and whoever
//! [tends](Embedded::tend) it does so when it was stopped, or the supervisor was killed too.
//!
//! ```text
//! <data directory>/postgres     0700, of the database account; a link into /var/lib/inboxd where that account cannot go
//!     cluster/                  the database
//!     socket/                   the unix socket, unless its path would be too long
//!     holders                   a named pipe: every process that uses the server has it open
//!     start.lock                held while somebody starts or stops
//!     supervisor.lock           held by the supervisor as long as it lives
//!     server.log, server.log.1  what the server has to say, of this start and of the one before
//! ```
//!
//! `PostgreSQL` refuses to run as root. Where inboxd is root, the server runs as `postgres` or `nobody`.

mod account;
mod binaries;
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

pub use error::EmbeddedError;
use hold::{Hold, StartLock};
use home::Home;

/// The database that [`Embedded::url`] leads to.
const DATABASE: &str = "inboxd";

/// Where the server keeps its data, and how careful it is with it.
#[derive(Clone, Debug)]
pub struct Options {
    /// The data directory of inboxd; the server takes the folder `postgres` in it. It is made when it is missing.
    pub data_dir: PathBuf,
    /// Whether a commit survives a loss of power. Only tests say no.
    pub durable: bool,
}

/// A running server and the hold on it. Dropping it lets go without waiting.
#[derive(Debug)]
pub struct Embedded {
    home: Home,
    hold: Hold,
    durable: bool,
    joined: bool,
    supervisor: Option<Child>,
    /// The server process that was last seen.
    process: Option<u32>,
}

/// How the server was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tended {
    /// It runs.
    Well,
    /// It has ended, and its supervisor is about to start it again.
    Awaited,
    /// It has ended, and runs again.
    Restarted,
}

/// Starts the server of a data directory, or joins it when it runs already, and waits until it answers.
///
/// # Errors
///
/// Each error is made to be shown to the operator as it is; see [`EmbeddedError`].
pub async fn start(options: &Options) -> Result<Embedded, EmbeddedError> {
    let home = Home::prepare(&options.data_dir).await?;
    let lock = StartLock::take(&home).await?;
    let hold = Hold::take(&home)?;
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
    /// The address of the database, `postgres://user@/database?host=/socket/folder`.
    #[must_use]
    pub fn url(&self) -> String {
        self.url_of(DATABASE)
    }

    /// The address of another database of this server, which [`Embedded::create_database`] made.
    #[must_use]
    pub fn url_of(&self, database: &str) -> String {
        connection::url(self.home.socket(), database)
    }

    /// Whether the server was running already.
    #[must_use]
    pub fn joined(&self) -> bool {
        self.joined
    }

    /// Looks after the server: where it has ended and nobody else starts it again, this does, and waits until it answers.
    /// To be called about once a second.
    ///
    /// # Errors
    ///
    /// As for [`start`].
    pub async fn tend(&mut self) -> Result<Tended, EmbeddedError> {
        if let Some(supervisor) = &mut self.supervisor
            && launch::has_ended(supervisor)?
        {
            self.supervisor = None;
        }
        if let Some(process) = postmaster::alive(&self.home).await {
            let before = self.process.replace(process);
            return Ok(if before == Some(process) { Tended::Well } else { Tended::Restarted });
        }
        self.process = None;
        if hold::is_supervised(&self.home)? {
            return Ok(Tended::Awaited);
        }
        let lock = StartLock::take(&self.home).await?;
        // Another may have been faster.
        if !launch::join(&self.home).await? {
            self.supervisor = Some(launch::launch(&self.home, &self.hold, &lock, self.durable).await?);
        }
        self.process = postmaster::alive(&self.home).await;
        Ok(Tended::Restarted)
    }

    /// Where the database lies when the database account cannot reach the data directory: a folder below
    /// `/var/lib/inboxd`. Whoever starts inboxd must be told.
    #[must_use]
    pub fn relocated(&self) -> Option<&Path> {
        self.home.relocated()
    }

    /// Makes a database, empty or as a copy of another one, which nobody may be using at the time.
    pub async fn create_database(&self, name: &str, template: Option<&str>) -> Result<(), EmbeddedError> {
        connection::create_database(&self.home, name, template).await
    }

    /// Drops a database and the connections to it, if it is there.
    pub async fn drop_database(&self, name: &str) -> Result<(), EmbeddedError> {
        connection::drop_database(&self.home, name).await
    }

    /// Lets go of the server. The last one to hold it shuts it down, quickly but in order, and returns when it has gone.
    ///
    /// # Errors
    ///
    /// [`EmbeddedError::NotStopped`] when it is still there after a minute.
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

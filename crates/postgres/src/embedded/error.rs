use std::io;
use std::path::{Path, PathBuf};

/// Why the embedded server is not there. Each is one line (but for the log of the server) that names the way out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbeddedError {
    /// Neither `PATH`, `pg_config` nor `/usr/lib/postgresql` leads to a server.
    #[error(
        "the PostgreSQL server (initdb, postgres) is not installed: run `apt-get install postgresql`, or set \
         INBOXD_DATABASE_URL to a database of your own"
    )]
    MissingBinaries,
    /// The database was made by a major version that is not installed (any more).
    #[error(
        "the database in {folder} was made by PostgreSQL {wanted}, but only {found} is installed: run \
         `apt-get install postgresql-{wanted}`, or set INBOXD_DATABASE_URL"
    )]
    WrongVersion {
        /// The folder of the database.
        folder: PathBuf,
        /// The major version that made it.
        wanted: String,
        /// The major versions found.
        found: String,
    },
    /// inboxd runs as root, and there is no account that the server could run as.
    #[error(
        "PostgreSQL does not run as root, and there is neither an account `postgres` nor `nobody`: run inboxd as an \
         ordinary user, or set INBOXD_DATABASE_URL"
    )]
    NoAccount,
    /// The folder belongs to another user, or lies where the database account cannot go.
    #[error(
        "the database account (uid {uid}) cannot use {folder}: give it that folder and a way to it, run inboxd as the \
         user that owns it, or set INBOXD_DATA_DIR to another place"
    )]
    Unreachable {
        /// The folder of the database.
        folder: PathBuf,
        /// The numeric user that the server runs as.
        uid: u32,
    },
    /// The folder for the socket is not what we made, so that somebody else might listen in it.
    #[error("{0} is not a private folder of the database account: remove it")]
    SocketFolder(PathBuf),
    /// Something about a file.
    #[error("cannot {act} {path}: {source}")]
    File {
        /// What was tried.
        act: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A program could not be run at all.
    #[error("cannot run {program}: {source}")]
    Run {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// A program ran and failed.
    #[error("{program} failed: {output}")]
    Failed {
        /// The program.
        program: String,
        /// The last lines that it wrote.
        output: String,
    },
    /// Another process has been starting or stopping the server for too long.
    #[error("another inboxd has been starting or stopping the database in {0} for two minutes")]
    Busy(PathBuf),
    /// The server ended or kept silent.
    #[error("the database server did not start: {reason}; the end of {log}:\n{tail}")]
    NotStarted {
        /// What happened.
        reason: String,
        /// The log of the server.
        log: PathBuf,
        /// Its last lines.
        tail: String,
    },
    /// The server did not go in time.
    #[error("the database server (process {0}) did not stop within a minute")]
    NotStopped(u32),
    /// The server answered, but not to our liking.
    #[error("the embedded database: {0}")]
    Database(String),
}

impl EmbeddedError {
    /// For `map_err`: what was tried on which file.
    pub(super) fn file(act: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::File { act, path, source }
    }
}

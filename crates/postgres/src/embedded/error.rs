use std::io;
use std::path::{Path, PathBuf};

use crate::server_check::MIN_MAJOR_VERSION;

/// Reason for which the embedded server is not available. Each is one line (except the log of the server) and names a
/// remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbeddedError {
    /// Neither `PATH`, `pg_config` nor `/usr/lib/postgresql` has a server of a supported version.
    #[error(
        "no PostgreSQL server (initdb, postgres) of version {min} or later is installed: run `apt-get install postgresql`, \
         or set INBOXD_DATABASE_URL to a database of your own",
        min = MIN_MAJOR_VERSION
    )]
    MissingBinaries,
    /// A major version that is not installed created the database.
    #[error(
        "the database in {folder} was made by PostgreSQL {wanted}, but only {found} is installed: run \
         `apt-get install postgresql-{wanted}`, or set INBOXD_DATABASE_URL"
    )]
    WrongVersion {
        /// Folder of the database.
        folder: PathBuf,
        /// Major version that created it.
        wanted: String,
        /// Installed major versions.
        found: String,
    },
    /// inboxd runs as root, and no account for the server exists.
    #[error(
        "PostgreSQL does not run as root, and there is neither an account `inboxd` nor `postgres`: create one with \
         `useradd --system inboxd`, run inboxd as an ordinary user, or set INBOXD_DATABASE_URL"
    )]
    NoAccount,
    /// inboxd runs as `nobody`.
    #[error(
        "the database does not run as `nobody`, an account that other programs share: run inboxd as an account of its own, \
         or set INBOXD_DATABASE_URL"
    )]
    SharedAccount,
    /// The folder of the database belongs to `nobody`.
    #[error(
        "{folder} belongs to `nobody`, an account that other programs share: give it to an account of its own with \
         `useradd --system inboxd; chown -R inboxd: {folder}`, or set INBOXD_DATABASE_URL"
    )]
    SharedOwner {
        /// Folder of the database.
        folder: PathBuf,
    },
    /// The folder belongs to another user or is not accessible for the database account.
    #[error(
        "the database account (uid {uid}) cannot use {folder}: give it that folder and a way to it, run inboxd as the \
         user that owns it, or set INBOXD_DATA_DIR to another place"
    )]
    Unreachable {
        /// Folder of the database.
        folder: PathBuf,
        /// User id of the server process.
        uid: u32,
    },
    /// The folder of the socket has another owner or mode, so another process might listen in it.
    #[error("{0} is not a private folder of the database account: remove it")]
    SocketFolder(PathBuf),
    /// A file operation failed.
    #[error("cannot {act} {path}: {source}")]
    File {
        /// The operation.
        act: &'static str,
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// A program could not be started.
    #[error("cannot run {program}: {source}")]
    Run {
        /// The program.
        program: String,
        /// Error of the system.
        source: io::Error,
    },
    /// A program failed.
    #[error("{program} failed: {output}")]
    Failed {
        /// The program.
        program: String,
        /// Last lines of its output.
        output: String,
    },
    /// Another process has been starting or stopping the server for too long.
    #[error("another inboxd has been starting or stopping the database in {0} for two minutes")]
    Busy(PathBuf),
    /// The server ended or stayed silent.
    #[error("the database server did not start: {reason}; the end of {log}:\n{tail}")]
    NotStarted {
        /// Reason of the failure.
        reason: String,
        /// Log of the server.
        log: PathBuf,
        /// Last lines of the log.
        tail: String,
    },
    /// The server did not stop in time.
    #[error("the database server (process {0}) did not stop within a minute")]
    NotStopped(u32),
    /// The server responded with an error.
    #[error("the embedded database: {0}")]
    Database(String),
}

impl EmbeddedError {
    /// Creates an error from a file operation, for `map_err`.
    pub(super) fn file(act: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::File { act, path, source }
    }
}

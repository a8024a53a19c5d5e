//! Reasons of a failed dump or restore.

use std::io;

use inboxd_core::ports::StoreError;

/// Reason for which a database is not dumped or restored. Each is one line and names a remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The database cannot be reached.
    #[error("the database cannot be reached: {0}")]
    Connect(String),
    /// A query failed.
    #[error("the database cannot be read: {0}")]
    Read(#[from] StoreError),
    /// The programs are missing or too old.
    #[error(
        "pg_dump, pg_restore and psql of PostgreSQL {needed} or later are needed, and {found}: run \
         `apt-get install postgresql-client-{needed}`, or add their folder to PATH"
    )]
    MissingTools {
        /// Oldest usable major version.
        needed: u32,
        /// Installed versions, as words.
        found: String,
    },
    /// The database has no tables of inboxd.
    #[error("the database has no tables of inboxd: nothing to back up")]
    NoTables,
    /// The database to restore into has relations.
    #[error(
        "the database is not empty, it has {0}: restore into a new database (INBOXD_DATABASE_URL) or another data \
         directory (INBOXD_DATA_DIR)"
    )]
    NotEmpty(String),
    /// The server is older than that of the archive.
    #[error("the backup is of PostgreSQL {archive}, but the server is {server}: restore into {archive} or later")]
    OlderServer {
        /// Major version of the server that was dumped.
        archive: u32,
        /// Major version of the server to restore into.
        server: u32,
    },
    /// Another process migrates or restores the database.
    #[error("another process migrates or restores this database: stop it, or wait for its end")]
    Busy,
    /// A program could not be started.
    #[error("cannot run {program}: {source}")]
    Run {
        /// Name of the program.
        program: &'static str,
        /// Error of the system.
        source: io::Error,
    },
    /// A program failed.
    #[error("{program} failed: {reason}")]
    Failed {
        /// Name of the program.
        program: &'static str,
        /// Last line of its errors.
        reason: String,
    },
    /// The archive cannot be read.
    #[error("{0}")]
    Input(io::Error),
    /// The archive cannot be written.
    #[error("{0}")]
    Output(io::Error),
}

//! Archive of a whole database, for backups: written by `pg_dump`, restored by `pg_restore` and `psql` of PostgreSQL.
//!
//! ```text
//! tools     search for the programs
//! facts     state of a database before a dump or a restore
//! dump      pg_dump: one snapshot, while clients write
//! restore   pg_restore | psql: one transaction, which also holds the queue
//! program   child processes and the last lines of their errors
//! stop      end of these from another thread
//! error     reasons of a failure
//! ```

mod dump;
mod error;
mod facts;
mod program;
mod restore;
mod stop;
mod tools;

pub use dump::DatabaseDump;
pub use error::ArchiveError;
pub use facts::DatabaseFacts;
pub use restore::DatabaseRestore;
pub use stop::ArchiveStop;

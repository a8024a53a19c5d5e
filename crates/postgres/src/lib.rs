//! The storage ports of inboxd on PostgreSQL, and the embedded server.
//!
//! The folder mirrors the ports of `inboxd-core` file for file: what `ports/threads.rs` asks for is in `threads`. Reads
//! are implemented by [`PgStore`], writes by its unit of work; the rest is what they share:
//!
//! ```text
//! schema    the tables, as diesel sees them
//! migrate   bringing a database to this schema
//! sql       statements in the words of PostgreSQL, with their values apart
//! tx        the unit of work, `last` what it writes with its end, `told` whom it tells
//! shared    questions that many ask at the same moment, asked once for all of them
//! keyset    where a page begins and which way it goes
//! text      what PostgreSQL can hold of a text
//! error     what its errors mean to the core
//! dial      sockets to the server, `wire` the messages on them, `retirement` when pooled ones are closed
//! diagnosis what an operator is told of a database
//! ```

mod accounts;
mod api_keys;
mod arrivals;
mod billing;
mod client_ids;
mod connection;
mod deliveries;
mod diagnosis;
mod dial;
mod domains;
mod drafts;
pub mod embedded;
mod error;
mod events;
mod feed;
mod given;
mod inboxes;
mod keyset;
mod known;
mod label_history;
mod last;
mod lists;
mod mail_quotas;
mod members;
mod messages;
mod metrics;
mod migrate;
mod notes;
mod operator_mails;
mod operators;
mod outgoing;
pub mod partitions;
mod parts;
mod pods;
mod processes;
mod removal;
mod replays;
mod retirement;
mod return_paths;
mod schema;
mod search;
mod send_keys;
mod service_state;
mod shared;
mod sign_ins;
mod signals;
mod sql;
mod store;
mod sts_policies;
mod suppressions;
mod text;
mod threads;
mod told;
mod tx;
mod usage;
mod webhooks;
mod wire;

pub use diagnosis::{Diagnosis, diagnose};
pub use migrate::{LOCK_TIMEOUT, MigrateError, SchemaError, migrate, migrate_within, require_schema};
pub use operators::{AddressRelease, FoundKey};
pub use service_state::HeldMail;
pub use store::{PgStore, STATEMENT_TIMEOUT, connect, connect_within, shared_connections};
pub use told::Committed;

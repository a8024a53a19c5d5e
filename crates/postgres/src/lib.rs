//! PostgreSQL storage adapter and the embedded server.
//!
//! The folder mirrors the ports of `inboxd-core` file for file: `threads` implements `ports/threads.rs`. [`PgStore`]
//! implements the reads, its unit of work the writes. The rest is shared:
//!
//! ```text
//! schema         tables as diesel declares them
//! migrate        schema migrations
//! sql            SQL statements with bound values
//! tx             unit of work; `last` its last writes, `told` the notifications after its commit
//! query_batcher  concurrent reads of one kind in one statement
//! keyset         keyset pagination
//! text           conversion of texts for PostgreSQL
//! error          mapping of database errors
//! dial           sockets to the server; `wire` the messages on them, `retirement` the closing of pooled connections
//! diagnosis      state of a database for operators
//! ```

mod access_tokens;
mod accounts;
mod api_keys;
mod array_params;
mod arrivals;
mod attachment_index;
mod audit;
mod billing;
mod browser_sessions;
mod calendar;
mod client_ids;
mod connection;
mod connections;
mod contacts;
mod credentials;
mod cte;
mod deliveries;
mod diagnosis;
mod dial;
mod domains;
mod drafts;
pub mod embedded;
mod error;
mod events;
mod feed;
mod files;
mod first_reads;
mod inboxes;
mod json;
mod keyset;
mod known;
mod label_history;
mod last;
mod legal_holds;
mod lists;
mod mail_quotas;
mod members;
mod messages;
mod metrics;
mod migrate;
mod notes;
mod oauth_clients;
mod oauth_tokens;
mod operator_mails;
mod operators;
mod outgoing;
pub mod partitions;
mod pods;
mod policies;
mod polling;
mod processes;
mod query_batcher;
mod received_codes;
mod refusals;
mod removal;
mod replays;
mod retirement;
mod return_paths;
mod schema;
mod search;
mod send_keys;
mod service_state;
mod sign_ins;
mod signals;
mod sql;
mod store;
mod stored_row;
mod sts_policies;
mod suppressions;
mod text;
mod threads;
mod told;
mod trace;
mod tx;
mod usage;
mod webhooks;
mod wire;
mod word_search;

pub use diagnosis::{DatabaseDiagnosis, diagnose};
pub use migrate::{LOCK_TIMEOUT, MigrateError, SchemaError, migrate, migrate_within, require_schema};
pub use operators::{AddressRelease, FoundKey};
pub use store::{ConnectionShares, PgStore, STATEMENT_TIMEOUT, connect, connect_within};

//! PostgreSQL storage adapter and the embedded server.
//!
//! The folder mirrors the ports of `inboxd-core` file for file: `threads` implements `ports/threads.rs`. [`PgStore`]
//! implements the reads, its unit of work the writes. `README.md` has the floors of the files. The rest is shared:
//!
//! ```text
//! schema         tables as diesel declares them
//! migrate        schema migrations
//! sql            SQL statements with bound values
//! tx             unit of work; `last` its last writes, `committed` the notifications after its commit
//! query_batcher  concurrent reads of one kind in one statement
//! keyset         keyset pagination
//! text           conversion of texts for PostgreSQL
//! error          mapping of database errors
//! dial           sockets to the server; `wire` the messages on them, `retirement` the closing of pooled connections
//! standbys       measurement of standbys, and reads from them
//! server_check   version and state of the server; `diagnosis` state of a database for operators
//! archive        dump and restore of a whole database
//! ```

mod access_tokens;
mod accounts;
mod api_keys;
mod archive;
mod array_params;
mod arrivals;
mod attachment_index;
mod audit;
mod backlogs;
mod billing;
mod blobs;
mod browser_sessions;
mod calendar;
mod certificates;
mod client_ids;
mod committed;
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
mod mail_reports;
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
mod scalar_rows;
mod schema;
mod search;
mod send_keys;
mod server_check;
mod service_state;
mod sign_ins;
mod signals;
mod sql;
mod standbys;
mod store;
mod store_metrics;
mod stored_row;
mod sts_policies;
mod suppressions;
mod text;
mod threads;
mod trace;
mod tx;
mod usage;
mod webhooks;
mod wire;
mod word_search;

pub use archive::{ArchiveError, ArchiveStop, DatabaseDump, DatabaseFacts, DatabaseRestore};
pub use diagnosis::{DatabaseDiagnosis, StandbyDiagnosis, StandbyState, diagnose, diagnose_standbys};
pub use messages::body::{StoredBody, body_fields, raw_of, stored_body};
pub use migrate::{
    ForeignSchema, LOCK_TIMEOUT, MigrateError, SchemaError, is_known_step, is_unreleased_step, migrate, migrate_within,
    require_schema,
};
pub use operators::{AddressRelease, FoundKey};
pub use server_check::ServerError;
pub use standbys::PgStandbys;
pub use store::{ConnectionShares, PgStore, STATEMENT_TIMEOUT, connect, connect_within};
pub use store_metrics::StoreMetrics;

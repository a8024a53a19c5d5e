//! Bringing a database to the schema that this program was built for.

use std::time::Duration;

use diesel::QueryableByName;
use diesel::sql_types::Text;
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use inboxd_core::ports::StoreError;

use crate::error::failure;
use crate::sql::Sql;
use crate::{connection, partitions};

/// One step of the schema.
struct Migration {
    /// The name of its folder in `migrations/`.
    name: &'static str,
    /// What it does.
    up: &'static str,
}

macro_rules! migrations {
    ($($name:literal),* $(,)?) => {
        &[$(Migration {
            name: $name,
            up: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations/", $name, "/up.sql")),
        }),*]
    };
}

/// Every step, in order.
const MIGRATIONS: &[Migration] = migrations![
    "00000000000001_foundation",
    "00000000000010_drafts",
    "00000000000011_domains",
    "00000000000012_members",
    "00000000000013_lists",
    "00000000000014_pods",
    "00000000000015_idempotency",
    "00000000000016_billing",
    "00000000000017_history",
    "00000000000018_metrics",
    "00000000000019_sign_in_guesses",
    "00000000000020_client_ids",
    "00000000000021_outdated_samples",
    "00000000000022_feed",
    "00000000000023_webhooks",
    "00000000000024_deliveries",
    "00000000000025_webhook_replays",
    "00000000000026_trust",
    "00000000000027_outgoing_destinations",
    "00000000000028_return_paths",
    "00000000000029_dkim_keys",
    "00000000000030_extracted",
    "00000000000032_search",
    "00000000000034_events",
    "00000000000035_plans",
    "00000000000036_bodies",
    "00000000000037_accounts",
    "00000000000038_operators",
    "00000000000041_merges",
    "00000000000042_workers",
    "00000000000043_wire",
    "00000000000044_delivery",
    "00000000000045_removal",
    "00000000000050_body_updates",
    "00000000000051_held_queue",
];

/// The key of the advisory lock that whoever applies migrations holds; any number that no other program uses would do.
const LOCK: i64 = 4_614_253_070_214_989;

/// Why a database could not be brought to the schema. The steps before stand, of the failed one nothing does.
#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    /// The database cannot be reached.
    #[error("the database cannot be reached: {0}")]
    Connect(#[from] diesel::ConnectionError),
    /// The record of what was applied cannot be read.
    #[error("the record of migrations cannot be read: {0}")]
    Record(StoreError),
    /// A later program has migrated the database: what this one would write may not fit.
    #[error("it has the schema of a later version ({}); run that version of inboxd or a later one", .0.join(", "))]
    Newer(Vec<String>),
    /// Another process has been at it for long.
    #[error("another process has been migrating it for {} s; look at it, or end its session in pg_stat_activity", .0.as_secs())]
    Busy(Duration),
    /// A step did not get the tables that it changes.
    #[error(
        "migration {name} waited {} s for a table that another session uses, and changed nothing; \
        end long transactions (pg_stat_activity) and start again, or raise INBOXD_MIGRATION_LOCK_TIMEOUT_SECONDS",
        .waited.as_secs()
    )]
    Locked {
        /// The name of its folder.
        name: &'static str,
        /// How long it waited.
        waited: Duration,
    },
    /// The weeks ahead cannot be made.
    #[error("the tables for the weeks ahead cannot be made: {0}")]
    Partitions(StoreError),
    /// A step failed.
    #[error("migration {name} failed: {reason}")]
    Step {
        /// The name of its folder.
        name: &'static str,
        /// Why.
        reason: StoreError,
    },
}

/// How long a migration waits for a table that other sessions use, unless an operator decides otherwise.
pub const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a process waits for another one that migrates.
const TURN_TIMEOUT: Duration = Duration::from_mins(10);

/// Applies the migrations that are missing. Any number of processes may do so at once: one works, the others wait.
///
/// # Errors
/// [`MigrateError`]; a database of a later version is left as it is.
pub async fn migrate(url: &str) -> Result<(), MigrateError> {
    migrate_within(url, LOCK_TIMEOUT).await
}

/// Applies the migrations that are missing, each of which waits so long for its tables: readers and writers that come
/// behind a waiting migration wait as well.
///
/// # Errors
/// As [`migrate`].
pub async fn migrate_within(url: &str, lock_timeout: Duration) -> Result<(), MigrateError> {
    // A connection of its own. Whatever happens, its end releases the lock and rolls back.
    let mut connection = connection::maintenance(url).await?;
    lock(&mut connection).await.map_err(|error| match error {
        StoreError::LockTimeout => MigrateError::Busy(TURN_TIMEOUT),
        error => MigrateError::Record(error),
    })?;
    let difference = compare(&mut connection).await.map_err(MigrateError::Record)?;
    if !difference.unknown.is_empty() {
        return Err(MigrateError::Newer(difference.unknown));
    }
    wait_for_locks(&mut connection, lock_timeout).await.map_err(MigrateError::Record)?;
    for name in difference.missing {
        let Some(migration) = MIGRATIONS.iter().find(|migration| migration.name == name) else { continue };
        apply(&mut connection, migration).await.map_err(|reason| match reason {
            StoreError::LockTimeout => MigrateError::Locked { name, waited: lock_timeout },
            reason => MigrateError::Step { name, reason },
        })?;
        tracing::info!(migration = name, "applied a migration");
    }
    // On a full disk what is there can be read; the weeks are made when there is space.
    match partitions::make_ahead(&mut connection, None).await {
        Err(error @ StoreError::Unavailable(_)) => tracing::error!(%error, "week partitions not created"),
        made => made.map_err(MigrateError::Partitions)?,
    }
    Ok(())
}

/// Checks that a database has exactly the schema of this program, and changes nothing.
///
/// # Errors
/// [`SchemaError`].
pub async fn require_schema(url: &str) -> Result<(), SchemaError> {
    let mut connection = connection::maintenance(url).await?;
    let Difference { missing, unknown } = compare(&mut connection).await.map_err(SchemaError::Record)?;
    if !unknown.is_empty() {
        return Err(SchemaError::Newer(unknown));
    }
    if missing.is_empty() { Ok(()) } else { Err(SchemaError::Older(missing)) }
}

/// Why a program cannot use the schema of a database as it is.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    /// The database cannot be reached.
    #[error("the database cannot be reached: {0}")]
    Connect(#[from] diesel::ConnectionError),
    /// The record of what was applied cannot be read.
    #[error("the record of migrations cannot be read: {0}")]
    Record(StoreError),
    /// A later program has migrated it.
    #[error("it has the schema of a later version ({}); run that version of inboxd or a later one", .0.join(", "))]
    Newer(Vec<String>),
    /// Migrations are missing.
    #[error("it lacks {}; run `inboxd migrate` first", .0.join(", "))]
    Older(Vec<&'static str>),
}

/// How many migrations there are.
pub(crate) fn count() -> usize {
    MIGRATIONS.len()
}

/// How a database's schema differs from this program's.
pub(crate) struct Difference {
    /// The names of the migrations that the database lacks, in order.
    pub(crate) missing: Vec<&'static str>,
    /// The names of those that it has and that this program does not know, in order: a later program applied them.
    pub(crate) unknown: Vec<String>,
}

/// Compares the schema of a database with this program's.
pub(crate) async fn compare(connection: &mut AsyncPgConnection) -> Result<Difference, StoreError> {
    let exists = "SELECT tablename::text COLLATE \"C\" AS name FROM pg_catalog.pg_tables
        WHERE schemaname = current_schema() AND tablename = 'schema_migrations'";
    let applied = if Sql::new(exists).row::<Name>(connection).await?.is_some() {
        Sql::new("SELECT name FROM schema_migrations ORDER BY name").rows::<Name>(connection).await?
    } else {
        Vec::new()
    };
    let is_applied = |name: &str| applied.iter().any(|row| row.name == name);
    let missing = MIGRATIONS.iter().map(|migration| migration.name).filter(|name| !is_applied(name)).collect();
    let is_known = |name: &str| MIGRATIONS.iter().any(|migration| migration.name == name);
    let unknown = applied.into_iter().map(|row| row.name).filter(|name| !is_known(name)).collect();
    Ok(Difference { missing, unknown })
}

#[derive(QueryableByName)]
struct Name {
    #[diesel(sql_type = Text)]
    name: String,
}

/// Limits how long each statement of a session waits for a lock.
async fn wait_for_locks(connection: &mut AsyncPgConnection, limit: Duration) -> Result<(), StoreError> {
    let text = format!("SET lock_timeout = '{}ms'", limit.as_millis());
    connection.batch_execute(&text).await.map_err(failure)
}

async fn lock(connection: &mut AsyncPgConnection) -> Result<(), StoreError> {
    wait_for_locks(connection, TURN_TIMEOUT).await?;
    Sql::new("SELECT pg_advisory_lock($1)").big(LOCK).run(connection).await?;
    let table = "SET client_min_messages = 'warning';
        CREATE TABLE IF NOT EXISTS schema_migrations (
            name       text COLLATE \"C\" NOT NULL PRIMARY KEY,
            applied_at timestamptz      NOT NULL DEFAULT now()
        )";
    connection.batch_execute(table).await.map_err(failure)
}

async fn apply(connection: &mut AsyncPgConnection, migration: &Migration) -> Result<(), StoreError> {
    connection.batch_execute("BEGIN").await.map_err(failure)?;
    connection.batch_execute(migration.up).await.map_err(failure)?;
    Sql::new("INSERT INTO schema_migrations (name) VALUES ($1)").text(migration.name).run(connection).await?;
    connection.batch_execute("COMMIT").await.map_err(failure)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use super::*;

    #[test]
    fn every_folder_is_listed_in_order() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations");
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap())
            .filter(|entry| entry.file_type().unwrap().is_dir())
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, MIGRATIONS.iter().map(|migration| migration.name).collect::<Vec<_>>());
    }
}

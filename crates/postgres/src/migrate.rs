//! Schema migrations.

use std::time::Duration;

use diesel::QueryableByName;
use diesel::sql_types::Text;
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use inboxd_core::ports::StoreError;

use crate::error::failure;
use crate::sql::Sql;
use crate::{connection, partitions};

/// One migration.
struct SchemaMigration {
    /// Name of its folder in `migrations/`.
    name: &'static str,
    /// SQL text.
    up: &'static str,
}

/// All steps in order: the folders of `migrations`, listed by `build.rs`.
const MIGRATIONS: &[SchemaMigration] = include!(concat!(env!("OUT_DIR"), "/migrations.rs"));

/// Key of the advisory lock of migrating processes; an arbitrary number that other programs do not use.
const LOCK: i64 = 4_614_253_070_214_989;

/// Reason of a failed migration. Earlier migrations stay applied; the failed one is rolled back.
#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    /// The database cannot be reached.
    #[error("the database cannot be reached: {0}")]
    Connect(#[from] diesel::ConnectionError),
    /// The table of applied migrations is unreadable.
    #[error("the record of migrations cannot be read: {0}")]
    Record(StoreError),
    /// A later program has migrated the database; writes of this one may be invalid.
    #[error("it has the schema of a later version ({}); run that version of inboxd or a later one", .0.join(", "))]
    Newer(Vec<String>),
    /// Another process has been migrating for too long.
    #[error("another process has been migrating it for {} s; check it, or end its session in pg_stat_activity", .0.as_secs())]
    Busy(Duration),
    /// A migration did not get the locks on its tables.
    #[error(
        "migration {name} waited {} s for a table that another session uses, and changed nothing; \
        end long transactions (pg_stat_activity) and start again, or raise INBOXD_MIGRATION_LOCK_TIMEOUT_SECONDS",
        .waited.as_secs()
    )]
    Locked {
        /// Name of its folder.
        name: &'static str,
        /// Time that it waited.
        waited: Duration,
    },
    /// The partitions of the next weeks cannot be created.
    #[error("week partitions cannot be created: {0}")]
    Partitions(StoreError),
    /// A migration failed.
    #[error("migration {name} failed: {reason}")]
    Step {
        /// Name of its folder.
        name: &'static str,
        /// Reason of the failure.
        reason: StoreError,
    },
}

/// Default time for which a migration waits for a table in use.
pub const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// Time for which a process waits for another one that migrates.
const TURN_TIMEOUT: Duration = Duration::from_mins(10);

/// Applies missing migrations. Any number of processes may call this at once: one works, the others wait.
///
/// # Errors
/// [`MigrateError`]; a database of a later version stays unchanged.
pub async fn migrate(url: &str) -> Result<(), MigrateError> {
    migrate_within(url, LOCK_TIMEOUT).await
}

/// Applies missing migrations, each with this lock timeout: readers and writers queue behind a waiting migration.
///
/// # Errors
/// As [`migrate`].
pub async fn migrate_within(url: &str, lock_timeout: Duration) -> Result<(), MigrateError> {
    // A separate connection: its end always releases the lock and rolls back.
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
        tracing::info!(migration = name, "migration applied");
    }
    // On a full disk reads still work; the partitions are created once there is space.
    match partitions::create_ahead(&mut connection, None).await {
        Err(error @ StoreError::Unavailable(_)) => tracing::error!(%error, "week partitions not created"),
        made => made.map_err(MigrateError::Partitions)?,
    }
    Ok(())
}

/// Checks that a database has exactly the schema of this program, without any change.
///
/// # Errors
/// [`SchemaError`].
pub async fn require_schema(url: &str) -> Result<(), SchemaError> {
    let mut connection = connection::maintenance(url).await?;
    let SchemaDifference { missing, unknown } = compare(&mut connection).await.map_err(SchemaError::Record)?;
    if !unknown.is_empty() {
        return Err(SchemaError::Newer(unknown));
    }
    if missing.is_empty() { Ok(()) } else { Err(SchemaError::Older(missing)) }
}

/// Reason for which the schema of a database is unusable.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    /// The database cannot be reached.
    #[error("the database cannot be reached: {0}")]
    Connect(#[from] diesel::ConnectionError),
    /// The table of applied migrations is unreadable.
    #[error("the record of migrations cannot be read: {0}")]
    Record(StoreError),
    /// A later program has migrated it.
    #[error("it has the schema of a later version ({}); run that version of inboxd or a later one", .0.join(", "))]
    Newer(Vec<String>),
    /// Migrations are missing.
    #[error("it lacks {}; run `inboxd migrate` first", .0.join(", "))]
    Older(Vec<&'static str>),
}

/// Returns the number of migrations.
pub(crate) fn count() -> usize {
    MIGRATIONS.len()
}

/// Difference between the schema of a database and that of this program.
pub(crate) struct SchemaDifference {
    /// Names of missing migrations, in order.
    pub(crate) missing: Vec<&'static str>,
    /// Names of applied migrations that this program does not know, in order: a later program applied them.
    pub(crate) unknown: Vec<String>,
}

/// Compares the schema of a database with that of this program.
pub(crate) async fn compare(connection: &mut AsyncPgConnection) -> Result<SchemaDifference, StoreError> {
    let exists = "SELECT tablename::text COLLATE \"C\" AS name FROM pg_catalog.pg_tables
        WHERE schemaname = current_schema() AND tablename = 'schema_migrations'";
    let applied = if Sql::new(exists).row::<MigrationName>(connection).await?.is_some() {
        Sql::new("SELECT name FROM schema_migrations ORDER BY name").rows::<MigrationName>(connection).await?
    } else {
        Vec::new()
    };
    let is_applied = |name: &str| applied.iter().any(|row| row.name == name);
    let missing = MIGRATIONS.iter().map(|migration| migration.name).filter(|name| !is_applied(name)).collect();
    let is_known = |name: &str| MIGRATIONS.iter().any(|migration| migration.name == name);
    let unknown = applied.into_iter().map(|row| row.name).filter(|name| !is_known(name)).collect();
    Ok(SchemaDifference { missing, unknown })
}

#[derive(QueryableByName)]
struct MigrationName {
    #[diesel(sql_type = Text)]
    name: String,
}

/// Sets the lock timeout of a session.
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

async fn apply(connection: &mut AsyncPgConnection, migration: &SchemaMigration) -> Result<(), StoreError> {
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

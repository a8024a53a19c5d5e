//! Schema migrations.

use std::fmt;
use std::time::Duration;

use diesel::QueryableByName;
use diesel::sql_types::{Nullable, Text};
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use inboxd_core::ports::StoreError;

use crate::error::failure;
use crate::scalar_rows::CountRow;
use crate::server_check::{ServerError, require_primary, require_version};
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

/// Number of the last step before the first release. The first step contains the schema of these, and none of them is run
/// again: later steps have higher numbers.
const LAST_UNRELEASED_STEP: u64 = 91;

/// Key of the advisory lock of migrating processes; an arbitrary number that other programs do not use.
pub(crate) const LOCK: i64 = 4_614_253_070_214_989;

/// Reason of a failed migration. Earlier migrations stay applied; the failed one is rolled back.
#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    /// The database cannot be reached.
    #[error("the database cannot be reached: {0}")]
    Connect(#[from] diesel::ConnectionError),
    /// The server is too old or accepts no writes.
    #[error("{0}")]
    Server(#[from] ServerError),
    /// The table of applied migrations is unreadable.
    #[error("the record of migrations cannot be read: {0}")]
    Record(StoreError),
    /// Another program has migrated the database; writes of this one may be invalid.
    #[error("{0}")]
    Foreign(ForeignSchema),
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
/// [`MigrateError`]; a database of another schema stays unchanged.
pub async fn migrate(url: &str) -> Result<(), MigrateError> {
    migrate_within(url, LOCK_TIMEOUT, env!("CARGO_PKG_VERSION")).await
}

/// Applies missing migrations, each with this lock timeout: readers and writers queue behind a waiting migration. The
/// version of the program is stored with each, for the error of an older one.
///
/// # Errors
/// As [`migrate`].
pub async fn migrate_within(url: &str, lock_timeout: Duration, program: &str) -> Result<(), MigrateError> {
    // A separate connection: its end always releases the lock and rolls back.
    let mut connection = connection::maintenance(url).await?;
    require_primary(&mut connection).await?;
    lock(&mut connection).await.map_err(|error| match error {
        StoreError::LockTimeout => MigrateError::Busy(TURN_TIMEOUT),
        error => MigrateError::Record(error),
    })?;
    let difference = compare(&mut connection).await.map_err(MigrateError::Record)?;
    if let Some(foreign) = difference.foreign {
        return Err(MigrateError::Foreign(foreign));
    }
    wait_for_locks(&mut connection, lock_timeout).await.map_err(MigrateError::Record)?;
    for name in difference.missing {
        let Some(migration) = MIGRATIONS.iter().find(|migration| migration.name == name) else { continue };
        let applied = apply(&mut connection, migration, program).await;
        applied.map_err(|reason| locked_or_failed(name, lock_timeout, reason))?;
        tracing::info!(migration = name, "migration applied");
    }
    // On a full disk reads still work; the partitions are created once there is space.
    match partitions::create_ahead(&mut connection, None).await {
        Err(error @ StoreError::Unavailable(_)) => tracing::error!(%error, "week partitions not created"),
        made => made.map_err(MigrateError::Partitions)?,
    }
    Ok(())
}

fn locked_or_failed(name: &'static str, waited: Duration, reason: StoreError) -> MigrateError {
    match reason {
        StoreError::LockTimeout => MigrateError::Locked { name, waited },
        reason => MigrateError::Step { name, reason },
    }
}

/// Checks that a database has exactly the schema of this program, without any change.
///
/// # Errors
/// [`SchemaError`].
pub async fn require_schema(url: &str) -> Result<(), SchemaError> {
    let mut connection = connection::maintenance(url).await?;
    require_version(&mut connection).await?;
    let SchemaDifference { missing, foreign } = compare(&mut connection).await.map_err(SchemaError::Record)?;
    if let Some(foreign) = foreign {
        return Err(SchemaError::Foreign(foreign));
    }
    if missing.is_empty() { Ok(()) } else { Err(SchemaError::Older(missing)) }
}

/// Reason for which the schema of a database is unusable.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    /// The database cannot be reached.
    #[error("the database cannot be reached: {0}")]
    Connect(#[from] diesel::ConnectionError),
    /// The server is too old.
    #[error("{0}")]
    Server(#[from] ServerError),
    /// The table of applied migrations is unreadable.
    #[error("the record of migrations cannot be read: {0}")]
    Record(StoreError),
    /// Another program has migrated it.
    #[error("{0}")]
    Foreign(ForeignSchema),
    /// Migrations are missing.
    #[error("it lacks {}; run `inboxd migrate` first", .0.join(", "))]
    Older(Vec<&'static str>),
}

/// Schema with steps that this program does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForeignSchema {
    /// A later program has migrated the database.
    Later {
        /// Names of the unknown steps, in order.
        steps: Vec<String>,
        /// Version of the program that applied the last one; `None` if it did not store it.
        program: Option<String>,
    },
    /// A build before the first release has made the database.
    Unreleased,
}

impl fmt::Display for ForeignSchema {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Later { steps, program } = self else {
            return formatter.write_str(
                "it was made by a build before the first release, and no version migrates it: export the mail to keep \
                 through the API of that build, then set INBOXD_DATABASE_URL to an empty database, or INBOXD_DATA_DIR to \
                 an empty folder",
            );
        };
        let program = program.as_ref().map_or_else(String::new, |program| format!("inboxd {program}, "));
        write!(
            formatter,
            "it has the schema of a later version ({program}{}); run that version of inboxd or a later one, or restore a \
             backup that this version made",
            steps.join(", ")
        )
    }
}

/// Returns whether this program has a migration of this name.
#[must_use]
pub fn is_known_step(name: &str) -> bool {
    MIGRATIONS.iter().any(|migration| migration.name == name)
}

/// Returns whether this is the name of a step before the first release, which no program applies any longer.
#[must_use]
pub fn is_unreleased_step(name: &str) -> bool {
    let number = name.split('_').next().and_then(|number| number.parse::<u64>().ok());
    !is_known_step(name) && number.is_some_and(|number| number <= LAST_UNRELEASED_STEP)
}

/// Returns the number of migrations.
pub(crate) fn count() -> usize {
    MIGRATIONS.len()
}

/// Difference between the schema of a database and that of this program.
pub(crate) struct SchemaDifference {
    /// Names of missing migrations, in order.
    pub(crate) missing: Vec<&'static str>,
    /// Applied migrations that this program does not know.
    pub(crate) foreign: Option<ForeignSchema>,
}

/// Compares the schema of a database with that of this program.
pub(crate) async fn compare(connection: &mut AsyncPgConnection) -> Result<SchemaDifference, StoreError> {
    let tables = "SELECT count(*) AS count FROM pg_catalog.pg_tables
        WHERE schemaname = current_schema() AND tablename = 'schema_migrations'";
    let applied = if Sql::new(tables).row::<CountRow>(connection).await?.is_some_and(|row| row.count > 0) {
        Sql::new(APPLIED).rows::<AppliedRow>(connection).await?
    } else {
        Vec::new()
    };
    let is_applied = |name: &str| applied.iter().any(|row| row.name == name);
    let missing = MIGRATIONS.iter().map(|migration| migration.name).filter(|name| !is_applied(name)).collect();
    let unknown: Vec<AppliedRow> = applied.into_iter().filter(|row| !is_known_step(&row.name)).collect();
    Ok(SchemaDifference { missing, foreign: foreign_schema(unknown) })
}

/// Returns the schema with these unknown steps; `None` without any.
fn foreign_schema(unknown: Vec<AppliedRow>) -> Option<ForeignSchema> {
    if unknown.iter().any(|row| is_unreleased_step(&row.name)) {
        return Some(ForeignSchema::Unreleased);
    }
    let program = unknown.last()?.program.clone();
    Some(ForeignSchema::Later { steps: unknown.into_iter().map(|row| row.name).collect(), program })
}

/// The column `program` may be missing in databases of builds before the first release.
const APPLIED: &str = "SELECT name, to_jsonb(m) ->> 'program' AS program FROM schema_migrations m ORDER BY name";

#[derive(QueryableByName)]
struct AppliedRow {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Nullable<Text>)]
    program: Option<String>,
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
            applied_at timestamptz      NOT NULL DEFAULT now(),
            program    text
        )";
    connection.batch_execute(table).await.map_err(failure)
}

async fn apply(
    connection: &mut AsyncPgConnection,
    migration: &SchemaMigration,
    program: &str,
) -> Result<(), StoreError> {
    connection.batch_execute("BEGIN").await.map_err(failure)?;
    connection.batch_execute(migration.up).await.map_err(failure)?;
    let text = "INSERT INTO schema_migrations (name, program) VALUES ($1, $2)";
    Sql::new(text).text(migration.name).text(program).run(connection).await?;
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

    #[test]
    fn steps_before_first_release_differ_from_known_and_later_ones() {
        for (name, expected) in [
            ("00000000000001_foundation", true),
            ("00000000000091_outgoing_shares", true),
            ("00000000000092_later", false),
            ("99990000000000_later", false),
            ("later", false),
        ] {
            assert_eq!(is_unreleased_step(name), expected, "{name}");
        }
        let (first, later) = MIGRATIONS.split_first().unwrap();
        assert!(!is_unreleased_step(first.name), "{}", first.name);
        for SchemaMigration { name, .. } in later {
            let number: u64 = name.split('_').next().unwrap().parse().unwrap();
            assert!(number > LAST_UNRELEASED_STEP, "{name}");
        }
    }
}

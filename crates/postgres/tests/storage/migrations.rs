//! Migrations: applied once by any number of processes, and reversible.

use std::path::{Path, PathBuf};

use diesel::QueryableByName;
use diesel::sql_types::Text;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use inboxd_core::ports::{Store, StoreError};
use inboxd_postgres::{connect, migrate};
use inboxd_testkit::database::{TestDatabase, database};

/// Everything that steps create, one line each.
const DESCRIPTION: &str = "
    SELECT 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
        || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END || coalesce(' ' || pg_get_expr(d.adbin, d.adrelid), '')
        AS line
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND c.relname <> 'schema_migrations'
    UNION ALL
    SELECT 'index ' || pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relname <> 'schema_migrations'
    UNION ALL
    SELECT 'constraint ' || c.relname || ' ' || k.conname || ' ' || pg_get_constraintdef(k.oid)
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relname <> 'schema_migrations'
    UNION ALL
    SELECT 'trigger ' || pg_get_triggerdef(t.oid) FROM pg_trigger t WHERE NOT t.tgisinternal
    UNION ALL
    SELECT 'function ' || pg_get_functiondef(p.oid) FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
    ORDER BY 1";

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

/// A database without the schema.
pub(super) async fn emptied() -> TestDatabase {
    let database = database().await;
    let mut connection = AsyncPgConnection::establish(&database.url()).await.unwrap();
    connection.batch_execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public").await.unwrap();
    database
}

/// Returns the folders of all migrations in order.
pub(super) fn steps() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations");
    let mut steps: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    steps.retain(|path| path.is_dir());
    steps.sort();
    steps
}

/// Executes a file of a migration.
pub(super) async fn execute(connection: &mut AsyncPgConnection, step: &Path, file: &str) {
    let text = std::fs::read_to_string(step.join(file)).unwrap();
    let executed = connection.batch_execute(&text).await;
    assert!(executed.is_ok(), "{file} of {}: {executed:?}", step.display());
}

/// Returns the description of a schema.
pub(super) async fn describe(connection: &mut AsyncPgConnection) -> Vec<String> {
    let lines: Vec<Line> = diesel::sql_query(DESCRIPTION).load(connection).await.unwrap();
    lines.into_iter().map(|row| row.line).collect()
}

#[tokio::test]
async fn repeated_migration_runs_once() {
    let database = emptied().await;
    for _ in 0..2 {
        migrate(&database.url()).await.unwrap();
        assert_eq!(connect(&database.url(), 1).await.unwrap().ready().await, Ok(()));
    }
}

#[tokio::test]
async fn concurrent_processes_migrate_once() {
    let database = emptied().await;
    let (url, started) = (database.url(), 8);
    let tasks: Vec<_> = (0..started)
        .map(|_| {
            let url = url.clone();
            tokio::spawn(async move { migrate(&url).await.unwrap() })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(connect(&url, 1).await.unwrap().ready().await, Ok(()));
}

#[tokio::test]
async fn database_without_schema_is_not_ready() {
    let database = emptied().await;
    let refused = connect(&database.url(), 1).await.unwrap().ready().await;
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
}

#[tokio::test]
async fn migrations_are_reversible() {
    let database = database().await;
    let mut connection = AsyncPgConnection::establish(&database.url()).await.unwrap();
    for step in steps().iter().rev() {
        execute(&mut connection, step, "down.sql").await;
    }
    let mut states = vec![describe(&mut connection).await];
    assert_eq!(states[0], Vec::<String>::new(), "the first step leaves nothing");
    for step in steps() {
        execute(&mut connection, &step, "up.sql").await;
        states.push(describe(&mut connection).await);
    }
    for (step, before) in steps().iter().zip(&states).rev() {
        execute(&mut connection, step, "down.sql").await;
        assert_eq!(&describe(&mut connection).await, before, "before {}", step.display());
    }
}

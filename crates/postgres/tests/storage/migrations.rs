use std::path::PathBuf;

use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use inboxd_core::model::return_path::ReportedStatus;
use inboxd_core::ports::{ReturnPathReads, Store, StoreError};
use inboxd_postgres::{connect, migrate};
use inboxd_testkit::database::database;
use uuid::Uuid;

/// A database without the schema.
async fn emptied() -> inboxd_testkit::database::TestDatabase {
    let database = database().await;
    let mut connection = AsyncPgConnection::establish(&database.url()).await.unwrap();
    connection.batch_execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public").await.unwrap();
    database
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
        connection.batch_execute(&std::fs::read_to_string(step.join("down.sql")).unwrap()).await.unwrap();
    }
    for step in steps() {
        connection.batch_execute(&std::fs::read_to_string(step.join("up.sql")).unwrap()).await.unwrap();
    }
}

#[tokio::test]
async fn reports_about_mail_queued_before_return_paths_migration_are_accepted() {
    const QUEUED: &str = "INSERT INTO outgoing (organization_id, outgoing_id, pod_id, inbox_id, thread_id, message_id, \
        route, envelope_from, recipients, attempts, created_at, due_at) \
        SELECT lpad('1', 32, '0')::uuid, lpad(n::text, 32, '0')::uuid, gen_random_uuid(), 'scout@inboxd.example', \
            gen_random_uuid(), message_id, route, 'b@inboxd.example', '{a@example.org,b@example.org}', 0, now(), now() \
        FROM (VALUES (1, 'remote', '<1@x>'), (2, 'local', '<1@x>'), (3, 'remote', NULL)) \
            AS mail (n, route, message_id)";
    let database = emptied().await;
    let mut connection = AsyncPgConnection::establish(&database.url()).await.unwrap();
    for step in steps() {
        if step.ends_with("00000000000028_return_paths") {
            connection.batch_execute(QUEUED).await.unwrap();
        }
        connection.batch_execute(&std::fs::read_to_string(step.join("up.sql")).unwrap()).await.unwrap();
    }
    let store = connect(&database.url(), 1).await.unwrap();
    let known = store.sent_mail(Uuid::from_u128(1).into()).await.unwrap().unwrap();
    assert_eq!(known.recipients.iter().map(|to| to.told).collect::<Vec<_>>(), [ReportedStatus::default(); 2]);
    for other in [2, 3] {
        assert_eq!(store.sent_mail(Uuid::from_u128(other).into()).await.unwrap(), None);
    }
}

/// Returns the folders of all migrations in order.
fn steps() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations");
    let mut steps: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    steps.retain(|path| path.is_dir());
    steps.sort();
    steps
}

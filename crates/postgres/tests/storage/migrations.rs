use std::path::PathBuf;

use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use inboxd_core::ports::{Store, StoreError};
use inboxd_postgres::{connect, migrate};
use inboxd_testkit::database::database;

/// A database without the schema.
async fn emptied() -> inboxd_testkit::database::TestDatabase {
    let database = database().await;
    let mut connection = AsyncPgConnection::establish(&database.url()).await.unwrap();
    connection.batch_execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public").await.unwrap();
    database
}

#[tokio::test]
async fn migrations_run_once_however_often_they_are_asked_to() {
    let database = emptied().await;
    for _ in 0..2 {
        migrate(&database.url()).await.unwrap();
        assert_eq!(connect(&database.url(), 1).await.unwrap().ready().await, Ok(()));
    }
}

#[tokio::test]
async fn many_processes_may_migrate_at_once() {
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
async fn a_database_without_the_schema_is_not_ready() {
    let database = emptied().await;
    let refused = connect(&database.url(), 1).await.unwrap().ready().await;
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
}

#[tokio::test]
async fn the_schema_can_be_taken_back() {
    let database = database().await;
    let mut connection = AsyncPgConnection::establish(&database.url()).await.unwrap();
    for step in steps().iter().rev() {
        connection.batch_execute(&std::fs::read_to_string(step.join("down.sql")).unwrap()).await.unwrap();
    }
    for step in steps() {
        connection.batch_execute(&std::fs::read_to_string(step.join("up.sql")).unwrap()).await.unwrap();
    }
}

/// The folders of all migrations, in order.
fn steps() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations");
    let mut steps: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    steps.retain(|path| path.is_dir());
    steps.sort();
    steps
}

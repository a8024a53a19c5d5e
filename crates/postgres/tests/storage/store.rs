use std::time::Duration;

use inboxd_core::model::{NewMail, Thread};
use inboxd_core::ports::{AccountReads, Constraint, MessageReads, Store, StoreError};
use inboxd_postgres::connect;
use tokio::time::timeout;

use crate::support::*;

#[tokio::test]
async fn dropped_unit_of_work_releases_locks() {
    let world = world().await;
    let store = connect(&world.database.url(), 1).await.unwrap();
    let mut tx = store.begin().await.unwrap();
    let mut organization = tx.accounts().lock(world.organization_id()).await.unwrap().unwrap();
    organization.verified_at = Some(at(1));
    tx.accounts().update(&organization).await.unwrap();
    drop(tx);

    // Another connection gets the lock, the pool of one has a connection, and nothing has changed.
    let mut other = world.begin().await;
    let locked = timeout(Duration::from_secs(2), other.accounts().lock(world.organization_id())).await;
    assert_eq!(locked.unwrap().unwrap(), Some(world.organization.clone()));
    let seen = store.overview(world.organization_id()).await.unwrap().unwrap().organization;
    assert_eq!(seen.verified_at, None);
}

#[tokio::test]
async fn unit_of_work_dropped_while_waiting_releases_locks() {
    let world = world().await;
    let mut holder = world.begin().await;
    holder.accounts().lock(world.organization_id()).await.unwrap();
    let mut waiting = world.begin().await;
    waiting.inboxes().lock(world.organization_id(), world.inbox_id()).await.unwrap();
    let waited = timeout(Duration::from_millis(300), waiting.accounts().lock(world.organization_id())).await;
    assert!(waited.is_err());
    drop(waiting);
    let mut other = world.begin().await;
    let locked = timeout(Duration::from_secs(5), other.inboxes().lock(world.organization_id(), world.inbox_id())).await;
    assert!(locked.unwrap().unwrap().is_some());
    holder.commit().await.unwrap();
}

#[tokio::test]
async fn connection_of_committed_unit_of_work_is_reused() {
    let world = world().await;
    let store = connect(&world.database.url(), 1).await.unwrap();
    for _ in 0..3 {
        let mut tx = store.begin().await.unwrap();
        assert!(tx.accounts().lock(world.organization_id()).await.unwrap().is_some());
        tx.commit().await.unwrap();
    }
    assert!(store.overview(world.organization_id()).await.unwrap().is_some());
}

#[tokio::test]
async fn refusal_closes_no_connection() {
    let world = world().await;
    let store = connect(&world.database.url(), 1).await.unwrap();
    store.ready().await.unwrap();
    world.database.execute("CREATE TABLE known AS SELECT pid FROM pg_stat_activity").await;
    for _ in 0..5 {
        let mut tx = store.begin().await.unwrap();
        assert!(tx.accounts().lock(world.organization_id()).await.unwrap().is_some());
        drop(tx);
    }
    store.ready().await.unwrap();
    // The query divides by zero if a connection is new.
    let known = "SELECT 1 / (count(*) FILTER (WHERE known.pid IS NOT NULL) / count(*))
        FROM pg_stat_activity a LEFT JOIN known USING (pid)
        WHERE a.datname = current_database() AND a.application_name = 'inboxd'";
    world.database.execute(known).await;
}

/// Closes the connections of all units of work.
const END_IDLE: &str = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'idle in transaction'";

#[tokio::test]
async fn commit_with_broken_connection_is_undecided() {
    let world = world().await;
    let mut tx = world.begin().await;
    assert!(tx.accounts().lock(world.organization_id()).await.unwrap().is_some());
    world.database.execute(END_IDLE).await;
    let refused = tx.commit().await;
    assert!(matches!(refused, Err(StoreError::Undecided(_))), "{refused:?}");
}

#[tokio::test]
async fn mail_with_connection_broken_at_commit_is_undecided() {
    let world = world().await;
    let mail = |number| NewMail { messages: vec![world.mail(number)], ..NewMail::default() };
    for number in [1, 2] {
        let mut tx = world.begin().await;
        assert!(tx.accounts().lock(world.organization_id()).await.unwrap().is_some());
        if number == 2 {
            world.database.execute(END_IDLE).await;
        }
        let stored = tx.commit_with(&mail(number)).await;
        let is_undecided = matches!(stored, Err(StoreError::Undecided(_)));
        assert_eq!((stored.is_ok(), is_undecided), (number == 1, number == 2), "{stored:?}");
    }
}

#[tokio::test]
async fn mail_is_stored_atomically() {
    let world = world().await;
    let mail = |number, joined| NewMail { messages: vec![world.mail(number)], joined, ..NewMail::default() };
    let thread = Thread::started_by(&world.mail(1).message.item);
    let began = NewMail { begun: vec![thread.clone()], ..NewMail::default() };
    let unknown = Thread { thread_id: thread_id(99), ..thread.clone() };
    // The statement is new to the connection; afterwards it is prepared and sent with the commit.
    for number in [2, 3] {
        let stored = world.begin().await.commit_with(&mail(number, vec![unknown.clone()])).await;
        assert_eq!(stored, Err(StoreError::Contention));
        assert!(world.store.list_messages(&world.messages()).await.unwrap().items.is_empty());
    }
    world.begin().await.commit_with(&began).await.unwrap();
    for number in [2, 3] {
        world.begin().await.commit_with(&mail(number, vec![thread.clone()])).await.unwrap();
    }
    let twice = world.begin().await.commit_with(&mail(3, vec![thread.clone()])).await;
    assert_eq!(twice, Err(StoreError::Duplicate(Constraint::MessageId)));
    let stored = world.begin().await.commit_with(&mail(4, vec![unknown])).await;
    assert_eq!(stored, Err(StoreError::Contention));
    assert_eq!(world.store.list_messages(&world.messages()).await.unwrap().items.len(), 2);
}

#[tokio::test]
async fn failed_unit_of_work_cannot_be_committed() {
    let world = world().await;
    let mut tx = world.begin().await;
    let added = organization(2, "other@example.org");
    tx.accounts().insert(&added).await.unwrap();
    assert!(tx.accounts().insert(&organization(3, "owner@example.org")).await.is_err());
    assert!(tx.commit().await.is_err(), "a commit that did nothing was reported as done");
    assert_eq!(world.store.overview(added.organization_id).await.unwrap(), None);
}

#[tokio::test]
async fn exhausted_pool_is_unavailable_after_timeout() {
    let world = world().await;
    let store = connect(&world.database.url(), 1).await.unwrap();
    let _tx = store.begin().await.unwrap();
    let refused = timeout(Duration::from_secs(15), store.ready()).await.unwrap();
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
}

#[tokio::test]
async fn deadlock_is_contention() {
    let world = world().await;
    let other = organization(2, "other@example.org");
    add_organization(&world.store, &other).await;
    let (mut first, mut second) = (world.begin().await, world.begin().await);
    first.accounts().lock(world.organization_id()).await.unwrap();
    second.accounts().lock(other.organization_id).await.unwrap();
    let (one, two) = tokio::join!(
        async {
            let locked = first.accounts().lock(other.organization_id).await;
            drop(first);
            locked
        },
        async {
            let locked = second.accounts().lock(world.organization_id()).await;
            drop(second);
            locked
        }
    );
    let errors: Vec<StoreError> = [one.err(), two.err()].into_iter().flatten().collect();
    assert_eq!(errors, [StoreError::Contention]);
}

#[tokio::test]
async fn missing_database_is_unavailable() {
    let refused = connect("postgres://nobody@/nothing?host=/nowhere", 1).await.err();
    assert!(matches!(refused, Some(StoreError::Unavailable(_))), "{refused:?}");
}

#[tokio::test]
async fn migrated_store_is_ready() {
    assert_eq!(world().await.store.ready().await, Ok(()));
}

#[tokio::test]
async fn stores_with_separate_connections_prepare_separately() {
    let world = world().await;
    for number in 0..3 {
        let store = world.store.with_own_connections(1).unwrap();
        deliver(&store, &world.mail(number)).await;
    }
}

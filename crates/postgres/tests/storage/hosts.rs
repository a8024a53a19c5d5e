//! Several hosts in the URL of a database: choice of the server, and recovery after a failover.

use inboxd_core::ports::{Store, StoreError};
use inboxd_postgres::{PgStore, connect, migrate};
use inboxd_testkit::{PostgresServer, SqlSession, eventually};

use crate::support::organization;

/// Lets new transactions of a server write, or not, like a server that is promoted or demoted.
async fn set_writable(server: &PostgresServer, is_writable: bool) {
    let value = if is_writable { "off" } else { "on" };
    let mut session = SqlSession::open(server.url()).await;
    session.execute(&format!("ALTER SYSTEM SET default_transaction_read_only = {value}")).await;
    session.execute("SELECT pg_reload_conf()").await;
    let setting = "SELECT current_setting('default_transaction_read_only') AS text";
    eventually("the setting is in effect", async || (session.texts(setting).await == [value]).then_some(())).await;
}

async fn add_organization(store: &PgStore, number: u128) -> Result<(), StoreError> {
    let mut tx = store.begin().await?;
    tx.accounts().insert(&organization(number, &format!("owner{number}@example.org"))).await?;
    tx.commit().await
}

async fn has_organizations(server: &PostgresServer) -> bool {
    let mut session = SqlSession::open(server.url()).await;
    session.texts("SELECT 'one' AS text FROM organizations LIMIT 1").await == ["one"]
}

#[tokio::test]
async fn connections_follow_the_primary_of_several_hosts() {
    let (one, other) = tokio::join!(PostgresServer::start(), PostgresServer::start());
    for server in [&one, &other] {
        migrate(server.url()).await.unwrap();
    }
    set_writable(&one, false).await;
    let read_write = "target_session_attrs=read-write";
    let refused = migrate(&format!("{}&{read_write}", one.url())).await.unwrap_err().to_string();
    assert!(refused.contains("accepts no writes"), "{refused}");

    let folders = [&one, &other].map(|server| server.url().split_once("?host=").unwrap().1);
    let url = format!("postgres://inboxd@/inboxd?host=/nowhere,{}&{read_write}", folders.join(","));
    let store = connect(&url, 2).await.unwrap();
    add_organization(&store, 1).await.unwrap();
    assert!(has_organizations(&other).await);

    set_writable(&other, false).await;
    let nowhere = connect(&url, 1).await.err().unwrap().to_string();
    for part in ["/nowhere", folders[0], folders[1], "accepts no writes"] {
        assert!(nowhere.contains(part), "{part}: {nowhere}");
    }
    set_writable(&one, true).await;
    let mut number = 1;
    eventually("writes reach the new primary", async || {
        number += 1;
        let written = add_organization(&store, number).await;
        assert!(matches!(written, Ok(()) | Err(StoreError::Unavailable(_))), "{written:?}");
        has_organizations(&one).await.then_some(())
    })
    .await;
}

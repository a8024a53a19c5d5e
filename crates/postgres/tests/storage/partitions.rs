//! Weekly partitions: created in advance, dropped without blocking.

use diesel::QueryableByName;
use diesel::sql_types::Text;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use inboxd_postgres::partitions::{create_weeks_ahead, drop_weeks};
use inboxd_testkit::database::database;
use time::{Duration, OffsetDateTime};

#[derive(QueryableByName)]
struct Name {
    #[diesel(sql_type = Text)]
    name: String,
}

async fn names(connection: &mut AsyncPgConnection, table: &str) -> Vec<String> {
    let query = format!(
        "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = '{table}'::regclass ORDER BY 1"
    );
    diesel::sql_query(query).load::<Name>(connection).await.unwrap().into_iter().map(|row| row.name).collect()
}

#[expect(clippy::disallowed_methods, reason = "the weeks are those of the database's clock")]
fn now() -> OffsetDateTime {
    OffsetDateTime::now_utc()
}

#[tokio::test]
async fn future_weeks_exist_and_missing_one_is_created() {
    let database = database().await;
    let mut connection = AsyncPgConnection::establish(&database.url()).await.unwrap();
    for table in ["events", "feed"] {
        let made = names(&mut connection, table).await;
        assert_eq!(made.len(), 9, "{made:?}");
        connection.batch_execute(&format!("DROP TABLE {}", made[7])).await.unwrap();
        create_weeks_ahead(&database.url(), now()).await.unwrap();
        let newest = &made[7];
        assert!(names(&mut connection, table).await.contains(newest), "{newest} was not created again");
    }
}

#[tokio::test]
async fn expired_weeks_are_dropped_without_blocking() {
    let database = database().await;
    let mut reader = AsyncPgConnection::establish(&database.url()).await.unwrap();
    let mut writer = AsyncPgConnection::establish(&database.url()).await.unwrap();
    writer.batch_execute("SET lock_timeout = '5s'").await.unwrap();
    reader.batch_execute("BEGIN; SELECT count(*) FROM events").await.unwrap();
    // With this clock, weeks up to three weeks in the future have expired.
    let (url, age) = (database.url(), -Duration::weeks(3));
    let dropping = tokio::spawn(async move { drop_weeks(&url, now(), age).await.unwrap() });
    // The drop waits for the reader of the partition; no other request waits for the drop.
    loop {
        let waits = diesel::sql_query(
            "SELECT wait_event_type AS name FROM pg_stat_activity
            WHERE datname = current_database() AND query LIKE 'ALTER TABLE%DETACH%' AND wait_event_type = 'Lock'",
        );
        if !waits.load::<Name>(&mut writer).await.unwrap().is_empty() {
            break;
        }
        tokio::task::yield_now().await;
    }
    let insert = "INSERT INTO events (organization_id, created_at, event_id, event_type, body)
        VALUES (gen_random_uuid(), now() + interval '4 weeks', gen_random_uuid(), 'domain.verified', '{}')";
    writer.batch_execute(insert).await.unwrap();
    assert_eq!(drop_weeks(&database.url(), now(), age).await.unwrap(), [""; 0], "another process is dropping");
    reader.batch_execute("COMMIT").await.unwrap();
    let dropped = dropping.await.unwrap();
    assert!(dropped.contains(&"events_first".to_owned()) && dropped.contains(&"feed_first".to_owned()), "{dropped:?}");
    assert_eq!(dropped.len(), 12, "the current week and two more, of all tables: {dropped:?}");
    assert_eq!(names(&mut writer, "events").await.len(), 6);
    writer.batch_execute("SELECT 1 FROM events").await.unwrap();
}

#[tokio::test]
async fn interrupted_drop_is_completed() {
    let database = database().await;
    let mut reader = AsyncPgConnection::establish(&database.url()).await.unwrap();
    let mut owner = AsyncPgConnection::establish(&database.url()).await.unwrap();
    reader.batch_execute("BEGIN; SELECT count(*) FROM events").await.unwrap();
    owner.batch_execute("SET statement_timeout = '100ms'").await.unwrap();
    owner.batch_execute("ALTER TABLE events DETACH PARTITION events_first CONCURRENTLY").await.unwrap_err();
    reader.batch_execute("COMMIT").await.unwrap();
    let dropped = drop_weeks(&database.url(), now(), -Duration::weeks(1)).await.unwrap();
    assert!(dropped.contains(&"events_first".to_owned()), "{dropped:?}");
    create_weeks_ahead(&database.url(), now()).await.unwrap();
}

#[tokio::test]
async fn fast_clock_drops_nothing_and_detached_weeks_are_dropped_later() {
    let database = database().await;
    let mut owner = AsyncPgConnection::establish(&database.url()).await.unwrap();
    let ahead = now() + Duration::weeks(100);
    assert_eq!(drop_weeks(&database.url(), ahead, Duration::weeks(1)).await.unwrap(), [""; 0]);
    owner.batch_execute("ALTER TABLE events DETACH PARTITION events_first").await.unwrap();
    let dropped = drop_weeks(&database.url(), now(), Duration::weeks(1)).await.unwrap();
    assert_eq!(dropped, ["events_first"]);
    // Without the first partition, the current week is created, so that events can be written.
    create_weeks_ahead(&database.url(), now()).await.unwrap();
    let insert = "INSERT INTO events (organization_id, created_at, event_id, event_type, body)
        VALUES (gen_random_uuid(), now(), gen_random_uuid(), 'domain.verified', '{}')";
    owner.batch_execute(insert).await.unwrap();
}

#[tokio::test]
async fn far_off_clock_has_its_weeks_and_old_ones_are_dropped() {
    let database = database().await;
    let mut writer = AsyncPgConnection::establish(&database.url()).await.unwrap();
    let insert = |when: &str| {
        format!(
            "INSERT INTO events (organization_id, created_at, event_id, event_type, body)
            VALUES (gen_random_uuid(), now() + interval '{when}', gen_random_uuid(), 'domain.verified', '{{}}')"
        )
    };
    writer.batch_execute(&insert("100 weeks")).await.unwrap_err();
    for ahead in [100, 100, 300, -10] {
        create_weeks_ahead(&database.url(), now() + Duration::weeks(ahead)).await.unwrap();
        writer.batch_execute(&insert(&format!("{ahead} weeks"))).await.unwrap();
    }
    // The first partition and the current week are dropped; weeks in the far future do not retain those before them.
    let dropped = drop_weeks(&database.url(), now(), -Duration::weeks(10)).await.unwrap();
    assert_eq!(dropped.iter().filter(|name| name.starts_with("events_")).count(), 9, "{dropped:?}");
    // No partition covers the earlier time: a slow clock gets a separate week.
    writer.batch_execute(&insert("-200 weeks")).await.unwrap_err();
    create_weeks_ahead(&database.url(), now() - Duration::weeks(200)).await.unwrap();
    writer.batch_execute(&insert("-200 weeks")).await.unwrap();
}

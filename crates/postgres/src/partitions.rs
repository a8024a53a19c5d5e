//! Weekly partitions of tables: created ahead, and dropped when old enough.
//!
//! A partition is named after its table and its first day, `events_from_20261123`; `events_first` covers all earlier
//! time. Neither creation nor drop blocks readers or writers of the rest: a table is attached, and detached
//! `CONCURRENTLY`.

use std::collections::BTreeSet;

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{Bool, Text, Timestamptz};
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use inboxd_core::ports::{EventPartitions, StoreError};
use time::macros::{date, format_description};
use time::{Date, Duration, OffsetDateTime, UtcOffset};

use crate::connection;
use crate::error::failure;
use crate::scalar_rows::FlagRow;
use crate::sql::Sql;
use crate::store::PgStore;

/// Partitioned tables.
const TABLES: &[&str] = &["events", "feed", "webhook_attempts", "delivery_attempts"];
/// Tables that lose their old weeks, in this order.
const OLD: &[&str] = &["feed", "webhook_attempts", "delivery_attempts", "events"];
/// Number of weeks created ahead: events can be written without a running process for that long.
const WEEKS_AHEAD: i64 = 8;
/// Bounds of weeks created for a clock far from that of the database.
const EARLIEST: Date = date!(1970 - 01 - 05);
const LATEST: Date = date!(9990 - 01 - 01);
/// Keys of the advisory locks for creating and for dropping weeks; arbitrary numbers that other programs do not use.
const CREATE_LOCK: i64 = 4_614_253_070_214_990;
const DROP_LOCK: i64 = 4_614_253_070_214_991;
/// A session that waits for a table lock blocks all later ones, so it waits briefly. Detaching waits for readers
/// without such a lock.
const SETTINGS: &str = "SET client_min_messages = 'warning'; SET TIME ZONE 'UTC'; SET lock_timeout = '2s'; SET statement_timeout = '10min'";

#[derive(QueryableByName)]
struct PartitionRow {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Bool)]
    is_detaching: bool,
}

#[derive(QueryableByName)]
struct WeekRow {
    #[diesel(sql_type = Timestamptz)]
    week: OffsetDateTime,
}

/// One partition of a table.
struct TablePartition {
    name: String,
    /// First day; `None` for the first partition.
    from: Option<Date>,
    /// Whether its drop was started and interrupted.
    is_detaching: bool,
}

#[async_trait]
impl EventPartitions for PgStore {
    async fn create_weeks_ahead(&self, now: OffsetDateTime) -> Result<(), StoreError> {
        create_weeks_ahead(self.url(), now).await
    }

    async fn drop_old_weeks(&self, now: OffsetDateTime, age: Duration) -> Result<Vec<String>, StoreError> {
        drop_weeks(self.url(), now, age).await
    }
}

/// Creates the missing weeks ahead, and those around `now` for a caller with another clock. Any number of processes may
/// call this at once.
///
/// # Errors
/// When the database cannot be reached or refuses.
pub async fn create_weeks_ahead(url: &str, now: OffsetDateTime) -> Result<(), StoreError> {
    let mut connection = maintenance(url).await?;
    create_ahead(&mut connection, Some(now)).await
}

/// Drops partitions without rows younger than `age`, and returns their names. It does nothing while another process
/// drops some. The earlier of the caller's and the database's clock decides, so that a fast clock drops nothing.
///
/// # Errors
/// When the database cannot be reached or refuses.
pub async fn drop_weeks(url: &str, now: OffsetDateTime, age: Duration) -> Result<Vec<String>, StoreError> {
    let mut connection = maintenance(url).await?;
    let lock = Sql::new("SELECT pg_try_advisory_lock($1) AS flag").big(DROP_LOCK);
    if !lock.row::<FlagRow>(&mut connection).await?.is_some_and(|row| row.flag) {
        return Ok(Vec::new());
    }
    let text = "SELECT least($1, now()) AS week";
    let now = Sql::new(text).time(now).row::<WeekRow>(&mut connection).await?.map_or(now, |row| row.week);
    let mut dropped = Vec::new();
    for table in OLD {
        for name in detached(&mut connection, table).await? {
            connection.batch_execute(&format!("DROP TABLE {name}")).await.map_err(failure)?;
            dropped.push(name);
        }
        for partition in ended(partitions(&mut connection, table).await?, (now - age).date()) {
            let name = &partition.name;
            // An interrupted detach is completed first; neither is possible inside a transaction.
            let how = if partition.is_detaching { "FINALIZE" } else { "CONCURRENTLY" };
            let detach = format!("ALTER TABLE {table} DETACH PARTITION {name} {how}");
            connection.batch_execute(&detach).await.map_err(failure)?;
            connection.batch_execute(&format!("DROP TABLE {name}")).await.map_err(failure)?;
            dropped.push(partition.name);
        }
    }
    // The lock ends with the connection at the latest, but that ends some time after its release.
    let _ = Sql::new("SELECT pg_advisory_unlock($1)").big(DROP_LOCK).run(&mut connection).await;
    Ok(dropped)
}

/// Creates the weeks ahead on a connection that ends soon, with its lock.
pub(crate) async fn create_ahead(
    connection: &mut AsyncPgConnection,
    now: Option<OffsetDateTime>,
) -> Result<(), StoreError> {
    Sql::new("SELECT pg_advisory_lock($1)").big(CREATE_LOCK).run(connection).await?;
    let text = "SELECT date_trunc('week', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' AS week";
    let this = Sql::new(text).row::<WeekRow>(connection).await?.map(|row| row.week.date());
    let this = this.ok_or_else(|| StoreError::Failed("the database returned no time".to_owned()))?;
    for table in TABLES {
        let there = partitions(connection, table).await?;
        if there.is_empty() {
            attach(connection, table, None, this + Duration::WEEK).await?;
        }
        let weeks: Vec<Date> = there.iter().filter_map(|partition| partition.from).collect();
        // Time before the oldest week is in the first partition, while that exists.
        let has_first = weeks.len() < there.len() || there.is_empty();
        let oldest = weeks.iter().min().copied().unwrap_or(this + Duration::WEEK);
        let is_in_first = |from: &Date| has_first && *from < oldest;
        let own = now.map(week_of).into_iter().flat_map(|week| [week, week + Duration::WEEK]);
        let wanted: BTreeSet<Date> = (0..=WEEKS_AHEAD).map(|week| this + Duration::weeks(week)).chain(own).collect();
        for from in wanted.into_iter().filter(|from| !is_in_first(from) && !weeks.contains(from)) {
            attach(connection, table, Some(from), from + Duration::WEEK).await?;
        }
    }
    Ok(())
}

async fn maintenance(url: &str) -> Result<AsyncPgConnection, StoreError> {
    let connected = connection::maintenance(url).await;
    let mut connection = connected.map_err(|error| StoreError::Unavailable(error.to_string()))?;
    connection.batch_execute(SETTINGS).await.map_err(failure)?;
    Ok(connection)
}

/// Returns the partitions of a table, oldest first.
async fn partitions(connection: &mut AsyncPgConnection, table: &str) -> Result<Vec<TablePartition>, StoreError> {
    let text = "SELECT c.relname::text AS name, i.inhdetachpending AS is_detaching
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = to_regclass($1) ORDER BY c.relname <> $1 || '_first', c.relname";
    let rows = Sql::new(text).text(table).rows::<PartitionRow>(connection).await?;
    let partition = |row: PartitionRow| {
        let from = row
            .name
            .rsplit_once("_from_")
            .and_then(|(_, day)| Date::parse(day, format_description!("[year][month][day]")).ok());
        TablePartition { name: row.name, from, is_detaching: row.is_detaching }
    };
    Ok(rows.into_iter().map(partition).collect())
}

/// Returns detached partitions left by an interrupted drop.
async fn detached(connection: &mut AsyncPgConnection, table: &str) -> Result<Vec<String>, StoreError> {
    let text = "SELECT c.relname::text AS name, false AS is_detaching FROM pg_class c
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND NOT c.relispartition
            AND (c.relname = $1 || '_first' OR c.relname ~ ('^' || $1 || '_from_[0-9]{8}$'))
        ORDER BY c.relname";
    let rows = Sql::new(text).text(table).rows::<PartitionRow>(connection).await?;
    Ok(rows.into_iter().map(|row| row.name).collect())
}

/// Returns the Monday of a time, in UTC, clamped before the last possible date.
pub(crate) fn week_of(time: OffsetDateTime) -> Date {
    let day = time.to_offset(UtcOffset::UTC).date().clamp(EARLIEST, LATEST);
    day - Duration::days(day.weekday().number_days_from_monday().into())
}

/// Returns the partitions that end at or before a day. The first ends where the next one begins, each other after a
/// week; the last one stays.
fn ended(partitions: Vec<TablePartition>, day: Date) -> Vec<TablePartition> {
    let end =
        |(one, next): (&TablePartition, &TablePartition)| one.from.map(|from| from + Duration::WEEK).or(next.from);
    let ends: Vec<Option<Date>> = partitions.iter().zip(partitions.iter().skip(1)).map(end).collect();
    partitions.into_iter().zip(ends).filter(|(_, end)| end.is_some_and(|end| end <= day)).map(|(one, _)| one).collect()
}

/// Creates one partition apart and attaches it, which blocks no session, unlike creation in place. It must have the
/// constraints of the table.
async fn attach(
    connection: &mut AsyncPgConnection,
    table: &str,
    from: Option<Date>,
    to: Date,
) -> Result<(), StoreError> {
    let day = format_description!("[year][month][day]");
    let written = |date: Date| date.format(day).map_err(|error| StoreError::Failed(error.to_string()));
    let (name, from) = match from {
        Some(from) => (format!("{table}_from_{}", written(from)?), format!("'{} 00:00:00+00'", written(from)?)),
        None => (format!("{table}_first"), "MINVALUE".to_owned()),
    };
    let to = written(to)?;
    let text = format!(
        "BEGIN;
        CREATE TABLE {name} (LIKE {table} INCLUDING CONSTRAINTS INCLUDING DEFAULTS INCLUDING STORAGE);
        ALTER TABLE {table} ATTACH PARTITION {name} FOR VALUES FROM ({from}) TO ('{to} 00:00:00+00');
        COMMIT"
    );
    connection.batch_execute(&text).await.map_err(failure)
}

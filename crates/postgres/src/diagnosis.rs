//! Database diagnosis for operators, without any change.

use std::time::{Duration, Instant};

use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Bool, Nullable, Timestamptz};
use diesel_async::AsyncPgConnection;
use futures_util::future::join_all;
use inboxd_core::ports::StoreError;
use time::OffsetDateTime;
use tokio::time::{sleep, timeout};

use crate::connection::ConnectionTarget;
use crate::migrate::{self, ForeignSchema, SchemaDifference};
use crate::server_check::{ServerError, ServerState};
use crate::sql::Sql;

/// Time limit of the whole diagnosis.
const DIAGNOSIS_TIMEOUT: Duration = Duration::from_secs(10);

/// Reads the durability. Commits are durable unless a setting disables it.
const QUERY: &str = "
    SELECT current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on'
            AND current_setting('synchronous_commit') <> 'off' AS is_durable,
        clock_timestamp() AS now";

/// Time for a standby to replay the present position of the primary.
const REPLAY_TIMEOUT: Duration = Duration::from_secs(5);
/// Time between two reads of the position of a standby.
const REPLAY_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Reads the cluster of a server and its position in the log.
const POSITION_QUERY: &str = "
    SELECT system_identifier, pg_is_in_recovery() AS is_standby, pg_wal_lsn_diff(
        CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END, '0/0')::bigint AS position
    FROM pg_control_system()";

/// State of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseDiagnosis {
    /// Version of the server: `16.4`.
    pub version: String,
    /// Reason for which the program cannot write to the server; `None` if it can.
    pub refusal: Option<ServerError>,
    /// Missing migrations, in order.
    pub missing: Vec<&'static str>,
    /// Applied migrations that this program does not know.
    pub foreign: Option<ForeignSchema>,
    /// Number of migrations of this program.
    pub migrations: usize,
    /// Whether the URL names several hosts and may lead to a standby.
    pub may_use_standby: bool,
    /// Whether a commit survives a power loss.
    pub is_durable: bool,
    /// Clock of the database.
    pub now: OffsetDateTime,
}

/// A host of a URL of standbys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandbyDiagnosis {
    /// Name and port of the host.
    pub host: String,
    /// State of the server, or the reason for which it is unknown.
    pub state: Result<StandbyState, StoreError>,
}

/// State of a standby.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandbyState {
    /// Version of the server: `16.4`.
    pub version: String,
    /// Whether it is a standby.
    pub is_standby: bool,
    /// Whether it belongs to the cluster of the primary.
    pub is_same_cluster: bool,
    /// Whether its schema is that of this program.
    pub has_schema: bool,
    /// Time until it had replayed the position that the primary had before; `None` for more than five seconds.
    pub lag: Option<Duration>,
}

#[derive(QueryableByName)]
struct PositionRow {
    #[diesel(sql_type = BigInt)]
    system_identifier: i64,
    #[diesel(sql_type = Bool)]
    is_standby: bool,
    #[diesel(sql_type = Nullable<BigInt>)]
    position: Option<i64>,
}

#[derive(QueryableByName)]
struct DiagnosisRow {
    #[diesel(sql_type = Bool)]
    is_durable: bool,
    #[diesel(sql_type = Timestamptz)]
    now: OffsetDateTime,
}

/// Diagnoses the database of a `postgres://` URL without any change.
///
/// # Errors
/// When it cannot be reached or does not respond.
pub async fn diagnose(url: &str) -> Result<DatabaseDiagnosis, StoreError> {
    within_limit(run(url)).await
}

/// Diagnoses each host of a URL of standbys beside the primary, without any change.
///
/// # Errors
/// For an invalid URL.
pub async fn diagnose_standbys(primary: &str, standbys: &str) -> Result<Vec<StandbyDiagnosis>, StoreError> {
    let primary = ConnectionTarget::new(primary, DIAGNOSIS_TIMEOUT)?;
    let primary = &primary;
    let diagnose = |standby: ConnectionTarget| async move {
        let state = within_limit(compare(primary, &standby)).await;
        StandbyDiagnosis { host: standby.host_label(), state }
    };
    Ok(join_all(primary.each_standby(standbys)?.into_iter().map(diagnose)).await)
}

async fn within_limit<T>(diagnosis: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    let late = || StoreError::Unavailable(format!("no answer within {} s", DIAGNOSIS_TIMEOUT.as_secs()));
    timeout(DIAGNOSIS_TIMEOUT, diagnosis).await.unwrap_or_else(|_| Err(late()))
}

/// Compares a standby with its primary.
async fn compare(primary: &ConnectionTarget, standby: &ConnectionTarget) -> Result<StandbyState, StoreError> {
    let (mut primary, mut standby) = (establish(primary).await?, establish(standby).await?);
    let SchemaDifference { missing, foreign } = migrate::compare(&mut standby).await?;
    let version = ServerState::read(&mut standby).await?.version;
    let begun = Instant::now();
    let wanted = position(&mut primary).await?;
    let mut found = position(&mut standby).await?;
    while found.position < wanted.position && begun.elapsed() < REPLAY_TIMEOUT {
        sleep(REPLAY_POLL_INTERVAL).await;
        found = position(&mut standby).await?;
    }
    Ok(StandbyState {
        version,
        is_standby: found.is_standby,
        is_same_cluster: found.system_identifier == wanted.system_identifier,
        has_schema: missing.is_empty() && foreign.is_none(),
        lag: (found.position >= wanted.position).then(|| begun.elapsed()),
    })
}

async fn establish(target: &ConnectionTarget) -> Result<AsyncPgConnection, StoreError> {
    target.establish().await.map_err(|error| StoreError::Unavailable(error.to_string()))
}

async fn position(connection: &mut AsyncPgConnection) -> Result<PositionRow, StoreError> {
    Sql::new(POSITION_QUERY).row(connection).await?.ok_or_else(no_row)
}

fn no_row() -> StoreError {
    StoreError::Failed("a query returned no row".to_owned())
}

async fn run(url: &str) -> Result<DatabaseDiagnosis, StoreError> {
    let target = ConnectionTarget::new(url, DIAGNOSIS_TIMEOUT)?;
    let mut connection = establish(&target).await?;
    let SchemaDifference { missing, foreign } = migrate::compare(&mut connection).await?;
    let server = ServerState::read(&mut connection).await?;
    let row: Option<DiagnosisRow> = Sql::new(QUERY).row(&mut connection).await?;
    let row = row.ok_or_else(no_row)?;
    Ok(DatabaseDiagnosis {
        refusal: server.refusal(),
        may_use_standby: target.may_use_standby(),
        version: server.version,
        missing,
        foreign,
        migrations: migrate::count(),
        is_durable: row.is_durable,
        now: row.now,
    })
}

//! Database diagnosis for operators, without any change.

use std::time::Duration;

use diesel::QueryableByName;
use diesel::sql_types::{Bool, Integer, Text, Timestamptz};
use inboxd_core::ports::StoreError;
use time::OffsetDateTime;

use crate::connection::ConnectionTarget;
use crate::migrate::{self, SchemaDifference};
use crate::sql::Sql;

/// Time limit of the whole diagnosis.
const DIAGNOSIS_TIMEOUT: Duration = Duration::from_secs(10);

/// Reads version and durability. Commits are durable unless a setting disables it. A suffix may follow the version
/// after a space.
const QUERY: &str = "
    SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
        current_setting('server_version_num')::integer / 10000 AS major,
        current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on'
            AND current_setting('synchronous_commit') <> 'off' AS is_durable,
        clock_timestamp() AS now";

/// State of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseDiagnosis {
    /// Version of the server: `16.4`.
    pub version: String,
    /// Major version.
    pub major: u32,
    /// Missing migrations, in order.
    pub missing: Vec<&'static str>,
    /// Applied migrations that this program does not know, in order.
    pub unknown: Vec<String>,
    /// Number of migrations of this program.
    pub migrations: usize,
    /// Whether a commit survives a power loss.
    pub is_durable: bool,
    /// Clock of the database.
    pub now: OffsetDateTime,
}

#[derive(QueryableByName)]
struct DiagnosisRow {
    #[diesel(sql_type = Text)]
    version: String,
    #[diesel(sql_type = Integer)]
    major: i32,
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
    let late = || StoreError::Unavailable(format!("no answer within {} s", DIAGNOSIS_TIMEOUT.as_secs()));
    tokio::time::timeout(DIAGNOSIS_TIMEOUT, run(url)).await.map_err(|_| late())?
}

async fn run(url: &str) -> Result<DatabaseDiagnosis, StoreError> {
    let target = ConnectionTarget::new(url, DIAGNOSIS_TIMEOUT)?;
    let mut connection = target.establish().await.map_err(|error| StoreError::Unavailable(error.to_string()))?;
    let SchemaDifference { missing, unknown } = migrate::compare(&mut connection).await?;
    let row: Option<DiagnosisRow> = Sql::new(QUERY).row(&mut connection).await?;
    let row = row.ok_or_else(|| StoreError::Failed("a query returned no row".to_owned()))?;
    Ok(DatabaseDiagnosis {
        version: row.version,
        major: u32::try_from(row.major).unwrap_or(0),
        missing,
        unknown,
        migrations: migrate::count(),
        is_durable: row.is_durable,
        now: row.now,
    })
}

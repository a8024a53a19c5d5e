//! What an operator wants to know of a database before anything is changed in it.

use std::time::Duration;

use diesel::QueryableByName;
use diesel::sql_types::{Bool, Integer, Text, Timestamptz};
use inboxd_core::ports::StoreError;
use time::OffsetDateTime;

use crate::connection::Target;
use crate::migrate::{self, Difference};
use crate::sql::Sql;

/// How long all of it may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Commits are durable where nobody has turned off what makes them so. Its version's words may go on behind a space.
const QUESTION: &str = "
    SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
        current_setting('server_version_num')::integer / 10000 AS major,
        current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on'
            AND current_setting('synchronous_commit') <> 'off' AS is_durable,
        clock_timestamp() AS now";

/// A database as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// Of the server: `16.4`.
    pub version: String,
    /// The first number of it.
    pub major: u32,
    /// The migrations that it lacks, in order.
    pub missing: Vec<&'static str>,
    /// The migrations that it has and this program does not know, in order.
    pub unknown: Vec<String>,
    /// How many migrations this program has.
    pub migrations: usize,
    /// Whether a commit survives a loss of power.
    pub is_durable: bool,
    /// Its time.
    pub now: OffsetDateTime,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Text)]
    version: String,
    #[diesel(sql_type = Integer)]
    major: i32,
    #[diesel(sql_type = Bool)]
    is_durable: bool,
    #[diesel(sql_type = Timestamptz)]
    now: OffsetDateTime,
}

/// Looks at the database of a `postgres://` URL and changes nothing.
///
/// # Errors
/// When it cannot be reached, or does not answer.
pub async fn diagnose(url: &str) -> Result<Diagnosis, StoreError> {
    let late = || StoreError::Unavailable(format!("no answer within {} s", PATIENCE.as_secs()));
    tokio::time::timeout(PATIENCE, ask(url)).await.map_err(|_| late())?
}

async fn ask(url: &str) -> Result<Diagnosis, StoreError> {
    let target = Target::new(url, PATIENCE)?;
    let mut connection = target.establish().await.map_err(|error| StoreError::Unavailable(error.to_string()))?;
    let Difference { missing, unknown } = migrate::compare(&mut connection).await?;
    let row: Option<Row> = Sql::new(QUESTION).row(&mut connection).await?;
    let row = row.ok_or_else(|| StoreError::Failed("a question was answered with no row".to_owned()))?;
    Ok(Diagnosis {
        version: row.version,
        major: u32::try_from(row.major).unwrap_or(0),
        missing,
        unknown,
        migrations: migrate::count(),
        is_durable: row.is_durable,
        now: row.now,
    })
}

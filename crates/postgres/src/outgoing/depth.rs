//! Depth of the queue and its destinations with deferred messages, for operators.

use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Integer, Nullable, Text, Timestamptz};
use diesel_async::AsyncPgConnection;
use inboxd_core::ports::{DestinationTrouble, QueueDepth, StoreError};
use time::OffsetDateTime;

use crate::sql::Sql;

/// Condition of a message that was tried and waits for another attempt. A claim counts its attempt when it begins.
const IS_DEFERRED: &str = "held_due_at IS NULL AND (attempts > 1 OR attempts = 1 AND claim_id IS NULL)";

#[derive(QueryableByName)]
struct DepthRow {
    #[diesel(sql_type = BigInt)]
    messages: i64,
    #[diesel(sql_type = BigInt)]
    held: i64,
    #[diesel(sql_type = BigInt)]
    deferred: i64,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    oldest_at: Option<OffsetDateTime>,
}

#[derive(QueryableByName)]
struct TroubleRow {
    #[diesel(sql_type = Text)]
    destination: String,
    #[diesel(sql_type = BigInt)]
    deferred: i64,
    #[diesel(sql_type = Integer)]
    most_attempts: i32,
    #[diesel(sql_type = Timestamptz)]
    oldest_at: OffsetDateTime,
    #[diesel(sql_type = Timestamptz)]
    next_at: OffsetDateTime,
    #[diesel(sql_type = Nullable<Text>)]
    reason: Option<String>,
}

/// Returns the depth of the queue.
pub(super) async fn depth(connection: &mut AsyncPgConnection) -> Result<QueueDepth, StoreError> {
    let text = format!(
        "SELECT count(*) AS messages, count(*) FILTER (WHERE held_due_at IS NOT NULL) AS held,
            count(*) FILTER (WHERE {IS_DEFERRED}) AS deferred, min(created_at) AS oldest_at
        FROM outgoing"
    );
    let row = Sql::new(text).row::<DepthRow>(connection).await?;
    Ok(row.map_or_else(QueueDepth::default, |row| QueueDepth {
        messages: row.messages.unsigned_abs(),
        held: row.held.unsigned_abs(),
        deferred: row.deferred.unsigned_abs(),
        oldest_at: row.oldest_at,
    }))
}

/// Returns the destinations with most deferred messages.
pub(super) async fn troubles(
    connection: &mut AsyncPgConnection,
    limit: u32,
) -> Result<Vec<DestinationTrouble>, StoreError> {
    let text = format!(
        "SELECT destination, count(*) AS deferred, max(attempts) AS most_attempts, min(created_at) AS oldest_at,
            min(due_at) AS next_at,
            (array_agg(deferral ORDER BY due_at DESC) FILTER (WHERE deferral IS NOT NULL))[1] AS reason
        FROM outgoing WHERE {IS_DEFERRED}
        GROUP BY destination ORDER BY deferred DESC, destination LIMIT $1"
    );
    let rows = Sql::new(text).big(i64::from(limit)).rows::<TroubleRow>(connection).await?;
    let trouble = |row: TroubleRow| DestinationTrouble {
        destination: row.destination,
        deferred: row.deferred.unsigned_abs(),
        most_attempts: row.most_attempts.unsigned_abs(),
        oldest_at: row.oldest_at,
        next_at: row.next_at,
        reason: row.reason,
    };
    Ok(rows.into_iter().map(trouble).collect())
}

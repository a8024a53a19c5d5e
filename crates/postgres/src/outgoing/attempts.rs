//! Log of delivery attempts.

use std::sync::LazyLock;

use diesel_async::AsyncPgConnection;
use inboxd_core::model::DeliveryAttempt;
use inboxd_core::ports::StoreError;

use super::rows::stored_attempts;
use crate::array_params::{Column, MAX_ROWS, Values, names, unnest_rows};
use crate::error::expect_rows;
use crate::json::to_json;
use crate::sql::Sql;

/// Columns of a new row of `delivery_attempts`.
const ATTEMPT: &[Column<DeliveryAttempt>] = &[
    ("organization_id", Values::Uuid(|attempt| attempt.organization_id.0)),
    ("inbox_id", Values::Text(|attempt| attempt.message.inbox_id.as_str())),
    ("attempted_at", Values::Time(|attempt| attempt.attempted_at)),
    ("attempt_id", Values::Uuid(|attempt| attempt.attempt_id.0)),
    ("pod_id", Values::Uuid(|attempt| attempt.message.pod_id.0)),
    ("thread_id", Values::Uuid(|attempt| attempt.message.thread_id.0)),
    ("message_id", Values::Text(|attempt| attempt.message.message_id.as_str())),
    ("attempt", Values::Integer(|attempt| stored_attempts(attempt.attempt))),
    ("results", Values::Json(|attempt| to_json(&attempt.results))),
    ("next_attempt_at", Values::OptionalTime(|attempt| attempt.next_attempt_at)),
];

static APPEND: LazyLock<String> =
    LazyLock::new(|| format!("INSERT INTO delivery_attempts ({}) {}", names(ATTEMPT), unnest_rows(ATTEMPT)));

/// Appends attempts to the log.
pub(super) async fn append(connection: &mut AsyncPgConnection, attempts: &[DeliveryAttempt]) -> Result<(), StoreError> {
    for batch in attempts.chunks(MAX_ROWS) {
        let written = Sql::new(APPEND.as_str()).bind_rows(ATTEMPT, batch)?.run(connection).await?;
        expect_rows(written, batch.len())?;
    }
    Ok(())
}

//! Updates of claimed deliveries after their attempts.

use std::sync::LazyLock;

use diesel_async::AsyncPgConnection;
use inboxd_core::model::WebhookAttempt;
use inboxd_core::ports::{Settlement, StoreError};

use crate::array_params::{Column, Values, names, unnest_rows};
use crate::sql::Sql;

/// Columns of a new row of `webhook_attempts`.
const ATTEMPT: &[Column<WebhookAttempt>] = &[
    ("organization_id", Values::Uuid(|attempt| attempt.organization_id.0)),
    ("attempted_at", Values::Time(|attempt| attempt.attempted_at)),
    ("attempt_id", Values::Uuid(|attempt| attempt.attempt_id.0)),
    ("webhook_id", Values::Uuid(|attempt| attempt.webhook_id.0)),
    ("event_id", Values::Uuid(|attempt| attempt.event_id.0)),
    ("event_type", Values::Text(|attempt| attempt.event_type.as_str())),
    ("status_code", Values::OptionalInteger(|attempt| attempt.status_code.map(i32::from))),
    ("duration_ms", Values::Integer(|attempt| stored(attempt.duration_ms))),
    ("response_body", Values::OptionalText(|attempt| attempt.response_body.as_deref())),
    ("error", Values::OptionalText(|attempt| attempt.error.as_deref())),
    ("next_attempt_at", Values::OptionalTime(|attempt| attempt.next_attempt_at)),
];

static LOG: LazyLock<String> = LazyLock::new(|| {
    format!("INSERT INTO webhook_attempts ({}) {} ON CONFLICT DO NOTHING", names(ATTEMPT), unnest_rows(ATTEMPT))
});

/// Columns of a delivery that was attempted.
const SETTLED: &[Column<Settlement>] = &[
    ("organization_id", Values::Uuid(|settlement| settlement.delivery.organization_id.0)),
    ("webhook_id", Values::Uuid(|settlement| settlement.delivery.webhook_id.0)),
    ("event_id", Values::Uuid(|settlement| settlement.delivery.event_id.0)),
    ("claim_id", Values::Uuid(|settlement| settlement.delivery.claim_id)),
    ("attempts", Values::Integer(|settlement| stored(settlement.delivery.failed.saturating_add(1)))),
    ("due_at", Values::OptionalTime(|settlement| settlement.next_attempt_at)),
];

/// Deletes completed deliveries and releases the others for their next attempt.
static SETTLE: LazyLock<String> = LazyLock::new(|| {
    format!(
        "WITH settled AS MATERIALIZED (
            {}
        ), ended AS (
            DELETE FROM webhook_deliveries d USING settled s
            WHERE d.organization_id = s.organization_id AND d.webhook_id = s.webhook_id AND d.event_id = s.event_id
                AND d.claim_id = s.claim_id AND s.due_at IS NULL
        )
        UPDATE webhook_deliveries d SET claim_id = NULL, attempts = s.attempts, due_at = s.due_at
        FROM settled s
        WHERE d.organization_id = s.organization_id AND d.webhook_id = s.webhook_id AND d.event_id = s.event_id
            AND d.claim_id = s.claim_id AND s.due_at IS NOT NULL",
        unnest_rows(SETTLED)
    )
});

/// Inserts attempts into the log.
pub(super) async fn log(connection: &mut AsyncPgConnection, attempts: &[WebhookAttempt]) -> Result<(), StoreError> {
    Sql::new(LOG.as_str()).bind_rows(ATTEMPT, attempts)?.run(connection).await?;
    Ok(())
}

/// Releases deliveries or deletes them, if their claims are still valid.
pub(super) async fn update(connection: &mut AsyncPgConnection, settlements: &[Settlement]) -> Result<(), StoreError> {
    Sql::new(SETTLE.as_str()).bind_rows(SETTLED, settlements)?.run(connection).await?;
    Ok(())
}

fn stored(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

//! Updates of claimed deliveries after their attempts.

use std::sync::LazyLock;

use diesel::sql_types::{Array, Integer, Nullable};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::WebhookAttempt;
use inboxd_core::ports::{Settlement, StoreError};

use crate::given::{Column, names, rows};
use crate::sql::Sql;

/// Columns of an attempt, in bind order.
const ATTEMPT: &[Column] = &[
    ("organization_id", "uuid"),
    ("attempted_at", "timestamptz"),
    ("attempt_id", "uuid"),
    ("webhook_id", "uuid"),
    ("event_id", "uuid"),
    ("event_type", "text"),
    ("status_code", "integer"),
    ("duration_ms", "integer"),
    ("response_body", "text"),
    ("error", "text"),
    ("next_attempt_at", "timestamptz"),
];

static LOG: LazyLock<String> = LazyLock::new(|| {
    format!("INSERT INTO webhook_attempts ({}) {} ON CONFLICT DO NOTHING", names(ATTEMPT), rows(ATTEMPT))
});

/// Columns of an updated delivery, in bind order.
const SETTLED: &[Column] = &[
    ("organization_id", "uuid"),
    ("webhook_id", "uuid"),
    ("event_id", "uuid"),
    ("claim_id", "uuid"),
    ("attempts", "integer"),
    ("due_at", "timestamptz"),
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
        rows(SETTLED)
    )
});

/// Inserts attempts into the log.
pub(super) async fn log(connection: &mut AsyncPgConnection, attempts: &[WebhookAttempt]) -> Result<(), StoreError> {
    Sql::new(LOG.as_str())
        .uuids(attempts.iter().map(|attempt| attempt.organization_id.0))
        .times(attempts.iter().map(|attempt| attempt.attempted_at))
        .uuids(attempts.iter().map(|attempt| attempt.attempt_id.0))
        .uuids(attempts.iter().map(|attempt| attempt.webhook_id.0))
        .uuids(attempts.iter().map(|attempt| attempt.event_id.0))
        .texts(attempts.iter().map(|attempt| attempt.event_type.as_str()))
        .bind::<Array<Nullable<Integer>>, _>(
            attempts.iter().map(|attempt| attempt.status_code.map(i32::from)).collect::<Vec<_>>(),
        )
        .integers(attempts.iter().map(|attempt| stored(attempt.duration_ms)))
        .optional_texts(attempts.iter().map(|attempt| attempt.response_body.as_deref()))
        .optional_texts(attempts.iter().map(|attempt| attempt.error.as_deref()))
        .optional_times(attempts.iter().map(|attempt| attempt.next_attempt_at))
        .run(connection)
        .await?;
    Ok(())
}

/// Releases deliveries or deletes them, if their claims are still valid.
pub(super) async fn settle(connection: &mut AsyncPgConnection, settlements: &[Settlement]) -> Result<(), StoreError> {
    let deliveries = || settlements.iter().map(|settlement| &settlement.delivery);
    Sql::new(SETTLE.as_str())
        .uuids(deliveries().map(|delivery| delivery.organization_id.0))
        .uuids(deliveries().map(|delivery| delivery.webhook_id.0))
        .uuids(deliveries().map(|delivery| delivery.event_id.0))
        .uuids(deliveries().map(|delivery| delivery.claim_id))
        .integers(deliveries().map(|delivery| stored(delivery.failed.saturating_add(1))))
        .optional_times(settlements.iter().map(|settlement| settlement.next_attempt_at))
        .run(connection)
        .await?;
    Ok(())
}

fn stored(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

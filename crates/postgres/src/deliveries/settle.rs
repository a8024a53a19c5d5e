//! Storing what came of deliveries.

use diesel::sql_types::{Array, Integer, Nullable, Text, Timestamptz};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::WebhookAttempt;
use inboxd_core::ports::{Settlement, StoreError};
use time::OffsetDateTime;

use crate::sql::Sql;
use crate::text::storable;

const LOG: &str = "
    INSERT INTO webhook_attempts (organization_id, attempted_at, attempt_id, webhook_id, event_id, event_type, status_code,
        duration_ms, response_body, error, next_attempt_at)
    SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::integer[],
        $8::integer[], $9::text[], $10::text[], $11::timestamptz[])
    ON CONFLICT DO NOTHING";

/// What is over goes, the rest is due again: for everybody, so it is nobody's any more.
const SETTLE: &str = "
    WITH settled AS MATERIALIZED (
        SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::integer[], $6::timestamptz[])
            AS s(organization_id, webhook_id, event_id, claim_id, attempts, due_at)
    ), ended AS (
        DELETE FROM webhook_deliveries d USING settled s
        WHERE d.organization_id = s.organization_id AND d.webhook_id = s.webhook_id AND d.event_id = s.event_id
            AND d.claim_id = s.claim_id AND s.due_at IS NULL
    )
    UPDATE webhook_deliveries d SET claim_id = NULL, attempts = s.attempts, due_at = s.due_at
    FROM settled s
    WHERE d.organization_id = s.organization_id AND d.webhook_id = s.webhook_id AND d.event_id = s.event_id
        AND d.claim_id = s.claim_id AND s.due_at IS NOT NULL";

/// Writes attempts into the log.
pub(super) async fn log(connection: &mut AsyncPgConnection, attempts: &[WebhookAttempt]) -> Result<(), StoreError> {
    Sql::new(LOG)
        .uuids(attempts.iter().map(|attempt| attempt.organization_id.0))
        .bind::<Array<Timestamptz>, _>(attempts.iter().map(|attempt| attempt.attempted_at).collect::<Vec<_>>())
        .uuids(attempts.iter().map(|attempt| attempt.attempt_id.0))
        .uuids(attempts.iter().map(|attempt| attempt.webhook_id.0))
        .uuids(attempts.iter().map(|attempt| attempt.event_id.0))
        .texts(attempts.iter().map(|attempt| attempt.event_type.as_str()))
        .bind::<Array<Nullable<Integer>>, _>(
            attempts.iter().map(|attempt| attempt.status_code.map(i32::from)).collect::<Vec<_>>(),
        )
        .bind::<Array<Integer>, _>(attempts.iter().map(|attempt| stored(attempt.duration_ms)).collect::<Vec<_>>())
        .bind::<Array<Nullable<Text>>, _>(texts(attempts, |attempt| attempt.response_body.as_deref()))
        .bind::<Array<Nullable<Text>>, _>(texts(attempts, |attempt| attempt.error.as_deref()))
        .bind::<Array<Nullable<Timestamptz>>, _>(
            attempts.iter().map(|attempt| attempt.next_attempt_at).collect::<Vec<_>>(),
        )
        .run(connection)
        .await?;
    Ok(())
}

/// Gives deliveries back or takes them out of the queue, where their claims still hold.
pub(super) async fn settle(connection: &mut AsyncPgConnection, settlements: &[Settlement]) -> Result<(), StoreError> {
    let deliveries = || settlements.iter().map(|settlement| &settlement.delivery);
    Sql::new(SETTLE)
        .uuids(deliveries().map(|delivery| delivery.organization_id.0))
        .uuids(deliveries().map(|delivery| delivery.webhook_id.0))
        .uuids(deliveries().map(|delivery| delivery.event_id.0))
        .uuids(deliveries().map(|delivery| delivery.claim_id))
        .bind::<Array<Integer>, _>(
            deliveries().map(|delivery| stored(delivery.failed.saturating_add(1))).collect::<Vec<_>>(),
        )
        .bind::<Array<Nullable<Timestamptz>>, _>(
            settlements.iter().map(|settlement| settlement.next_attempt_at).collect::<Vec<Option<OffsetDateTime>>>(),
        )
        .run(connection)
        .await?;
    Ok(())
}

fn stored(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

fn texts<'a>(
    attempts: &'a [WebhookAttempt],
    text: impl Fn(&'a WebhookAttempt) -> Option<&'a str>,
) -> Vec<Option<std::borrow::Cow<'a, str>>> {
    attempts.iter().map(|attempt| text(attempt).map(storable)).collect()
}

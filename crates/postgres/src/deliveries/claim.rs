//! Claims of due deliveries.

use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Bool};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::WebhookDelivery;
use inboxd_core::ports::{DeliveryClaim, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use super::QUEUED;
use crate::schema::webhook_deliveries;
use crate::sql::Sql;
use crate::webhooks::event_type;

/// Claims deliveries without waiting for the claim to reach the disk.
///
/// `open` has the enabled webhooks, each with its remaining claims. `ready` has the deliveries that each may start now:
/// new ones in feed order, and after every fourth of them one retry that is due or has an expired claim. A webhook with
/// fewer than four remaining claims, such as a failing one, never reaches its fourth. Before a quarter of its new deliveries,
/// chosen by a hash of their positions, its retries therefore come first. All claimers choose the same.
///
/// `hand` has the claimed deliveries of the process by organization. `shared` numbers the deliveries that each
/// organization would then have. `picked` takes the lowest numbers first, from each organization only while enough
/// permits stay free. Organizations without a free permit in their share are not read.
///
/// Concurrent claimers pick the same rows and one gets them, because rows are checked again once locked: another claimer
/// may even have tried one meanwhile and put it off. So no webhook exceeds its maximum, and the order is the same for all.
/// `MATERIALIZED` ensures that rows are picked and locked once.
///
/// After a crash of the database a claim may be lost, or stored without an owner. In both cases the delivery is
/// repeated.
const CLAIM: &str = "hand AS MATERIALIZED (
        SELECT organization_id, taken FROM unnest($8::uuid[], $9::bigint[]) AS h(organization_id, taken)
    ), open AS MATERIALIZED (
        SELECT w.organization_id, w.webhook_id, w.failing_since IS NOT NULL AS is_failing,
            greatest(0, CASE WHEN w.failing_since IS NULL THEN $6 ELSE 1 END - (
                SELECT count(*) FROM webhook_deliveries c
                WHERE c.organization_id = w.organization_id AND c.webhook_id = w.webhook_id
                    AND c.claim_id IS NOT NULL AND c.due_at > $2)) AS room
        FROM queued q JOIN webhooks w ON w.organization_id = q.organization_id AND w.webhook_id = q.webhook_id
            LEFT JOIN hand h ON h.organization_id = q.organization_id
        WHERE w.enabled AND (h.taken IS NULL OR $7 * (h.taken + 1) < $4)
            AND (SELECT held_at IS NULL FROM service_state) IS NOT FALSE
            AND (SELECT o.suspended_at IS NOT NULL FROM organizations o
                WHERE o.organization_id = w.organization_id) IS NOT TRUE
    ), ready AS (
        SELECT o.organization_id, o.webhook_id, o.is_failing, d.event_id, d.turn
        FROM open o CROSS JOIN LATERAL (
            SELECT event_id, row_number() OVER (ORDER BY quarter) AS turn FROM (
                (SELECT event_id, row_number() OVER (ORDER BY position) AS quarter FROM (
                    SELECT event_id, position FROM webhook_deliveries
                    WHERE organization_id = o.organization_id AND webhook_id = o.webhook_id
                        AND attempts = 0 AND claim_id IS NULL
                    ORDER BY position LIMIT o.room) untried)
                UNION ALL
                (SELECT event_id, CASE WHEN o.room < 4 AND (
                        SELECT hashint8(position) % 4 = 0 FROM webhook_deliveries
                        WHERE organization_id = o.organization_id AND webhook_id = o.webhook_id
                            AND attempts = 0 AND claim_id IS NULL
                        ORDER BY position LIMIT 1)
                    THEN row_number() OVER (ORDER BY due_at, position) - 4
                    ELSE 4 * row_number() OVER (ORDER BY due_at, position) END AS quarter FROM (
                    SELECT event_id, due_at, position FROM webhook_deliveries
                    WHERE organization_id = o.organization_id AND webhook_id = o.webhook_id
                        AND (attempts > 0 OR claim_id IS NOT NULL) AND due_at <= $2
                    ORDER BY due_at, position LIMIT o.room) again)
            ) waiting
            ORDER BY quarter LIMIT o.room) d
    ), shared AS (
        SELECT r.*, (1 + is_failing::int) * (coalesce(h.taken, 0)
            + row_number() OVER (PARTITION BY r.organization_id ORDER BY r.turn, r.draw)) AS share
        FROM (SELECT *, random() AS draw FROM ready) r LEFT JOIN hand h ON h.organization_id = r.organization_id
    ), picked AS MATERIALIZED (
        SELECT organization_id, webhook_id, event_id, is_failing, turn FROM (
            SELECT *, row_number() OVER (ORDER BY share, draw) AS taken FROM (
                SELECT *, row_number() OVER (PARTITION BY is_failing ORDER BY share, draw) AS of_kind FROM shared) kinds
            WHERE NOT is_failing OR of_kind <= $5) r
        WHERE share <= 1 + is_failing::int OR $7 * share <= $4 - taken
        ORDER BY taken LIMIT $4
    ), held AS MATERIALIZED (
        SELECT d.organization_id, d.webhook_id, d.event_id, p.is_failing, p.turn
        FROM picked p JOIN webhook_deliveries d ON d.organization_id = p.organization_id
            AND d.webhook_id = p.webhook_id AND d.event_id = p.event_id
        WHERE (d.attempts = 0 AND d.claim_id IS NULL) OR d.due_at <= $2
        FOR NO KEY UPDATE OF d SKIP LOCKED
    ), unwaited AS MATERIALIZED (
        SELECT set_config('synchronous_commit', 'off', true)
    )
    UPDATE webhook_deliveries d SET claim_id = $1, due_at = $3
    FROM held h CROSS JOIN unwaited
    WHERE d.organization_id = h.organization_id AND d.webhook_id = h.webhook_id AND d.event_id = h.event_id
    RETURNING d.organization_id, d.webhook_id, d.event_id, d.event_type, d.event_created_at, d.position, d.attempts,
        h.is_failing, h.turn";

#[derive(QueryableByName)]
#[diesel(table_name = webhook_deliveries)]
struct DeliveryClaimRow {
    organization_id: Uuid,
    webhook_id: Uuid,
    event_id: Uuid,
    event_type: String,
    event_created_at: OffsetDateTime,
    position: i64,
    attempts: i32,
    #[diesel(sql_type = Bool)]
    is_failing: bool,
    #[diesel(sql_type = BigInt)]
    turn: i64,
}

impl DeliveryClaimRow {
    fn entity(self, claim_id: Uuid) -> Result<WebhookDelivery, StoreError> {
        Ok(WebhookDelivery {
            organization_id: self.organization_id.into(),
            webhook_id: self.webhook_id.into(),
            event_id: self.event_id.into(),
            event_type: event_type(&self.event_type)?,
            event_created_at: self.event_created_at,
            position: self.position,
            failed: u32::try_from(self.attempts).unwrap_or(0),
            claim_id,
            is_failing: self.is_failing,
        })
    }

    /// Returns the delivery of the row, or logs the error. An unreadable row blocks no others until its claim expires.
    fn readable(self, claim_id: Uuid) -> Option<WebhookDelivery> {
        let (organization_id, webhook_id, event_id) = (self.organization_id, self.webhook_id, self.event_id);
        let read = self.entity(claim_id).inspect_err(|error| {
            tracing::error!(%organization_id, %webhook_id, %event_id, %error, "webhook delivery unreadable");
        });
        read.ok()
    }
}

/// Claims deliveries in the order in which they start.
pub(super) async fn claim(
    connection: &mut AsyncPgConnection,
    claim: &DeliveryClaim,
) -> Result<Vec<WebhookDelivery>, StoreError> {
    let mut rows = Sql::new(format!("WITH RECURSIVE {QUEUED}, {CLAIM}"))
        .uuid(claim.claim_id)
        .time(claim.now)
        .time(claim.until)
        .big(claim.limit.into())
        .big(claim.failing.into())
        .big(claim.per_webhook.into())
        .big(claim.share_divisor.into())
        .uuids(claim.held.iter().map(|(organization_id, _)| organization_id.0))
        .bigs(claim.held.iter().map(|(_, taken)| i64::from(*taken)))
        .rows::<DeliveryClaimRow>(connection)
        .await?;
    rows.sort_by_key(|row| (row.turn, row.position, row.webhook_id));
    Ok(rows.into_iter().filter_map(|row| row.readable(claim.claim_id)).collect())
}

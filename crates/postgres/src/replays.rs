//! Replays of events to a webhook.
//!
//! A replayed delivery looks like one with an expired claim: due, with a claim without an owner. It alternates with new
//! deliveries, so a replay of a million events delays nothing new.

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Nullable, Timestamptz, Uuid as SqlUuid};
use inboxd_core::model::{EventId, InboxId, OrganizationId, PodId, WebhookId};
use inboxd_core::ports::{QueuedEvent, ReplaySpan, ReplayWrites, StoreError, Walked};
use inboxd_core::rules::trust::Verdict;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::deliveries::HEARS;
use crate::error::contention;
use crate::schema::{feed, webhook_replays};
use crate::sql::Sql;
use crate::tx::PgTx;
use crate::usage::to_count;
use crate::webhooks::event_type;

/// Maximum difference of clocks: the position of an event is searched from that long before its time on.
const SKEW: Duration = Duration::days(1);

/// Conflict rule for an existing delivery: a failed one restarts, an untried or claimed one stays unchanged.
const BEGIN_ANEW: &str = "ON CONFLICT ON CONSTRAINT webhook_deliveries_pkey
    DO UPDATE SET attempts = 0, claim_id = EXCLUDED.claim_id, due_at = EXCLUDED.due_at
    WHERE d.attempts > 0 AND (d.claim_id IS NULL OR d.due_at <= EXCLUDED.due_at)";

#[derive(QueryableByName)]
#[diesel(table_name = feed)]
struct ReplayedEventRow {
    organization_id: Uuid,
    event_id: Uuid,
    event_type: String,
    verdict: Option<String>,
    pod_id: Option<Uuid>,
    inbox_id: Option<String>,
    created_at: OffsetDateTime,
    position: i64,
}

#[derive(QueryableByName)]
#[diesel(table_name = webhook_replays)]
struct ReplayRow {
    organization_id: Uuid,
    webhook_id: Uuid,
}

/// Result of one batch of a replay.
#[derive(QueryableByName)]
struct WalkedRow {
    #[diesel(sql_type = BigInt)]
    looked_at: i64,
    #[diesel(sql_type = BigInt)]
    queued: i64,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    last_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    last_id: Option<Uuid>,
}

/// Builds the query of one batch. An event without a position is skipped, because it is delivered when it gets one.
fn walk_statement() -> String {
    format!(
        "WITH replay AS MATERIALIZED (
            SELECT next_at, next_id, until_at FROM webhook_replays
            WHERE organization_id = $1 AND webhook_id = $2 FOR NO KEY UPDATE
        ), walked AS MATERIALIZED (
            SELECT v.* FROM replay r CROSS JOIN LATERAL (
                SELECT e.created_at, e.event_id FROM events e
                WHERE e.organization_id = $1 AND (e.created_at, e.event_id) > (r.next_at, r.next_id)
                    AND e.created_at >= r.next_at AND e.created_at <= r.until_at
                ORDER BY e.created_at, e.event_id LIMIT $4) v
        ), queued AS (
            INSERT INTO webhook_deliveries AS d (organization_id, webhook_id, event_id, event_type, event_created_at,
                position, attempts, due_at, claim_id)
            SELECT $1, $2, e.event_id, e.event_type, e.created_at, e.position, 0, $3, $5
            FROM walked v
                JOIN feed e ON e.organization_id = $1 AND e.event_id = v.event_id
                    AND e.sequenced_at >= v.created_at - interval '1 day'
                JOIN webhooks w ON w.organization_id = $1 AND w.webhook_id = $2
            WHERE {HEARS}
            {BEGIN_ANEW}
            RETURNING 1
        )
        SELECT (SELECT count(*) FROM walked) AS looked_at, (SELECT count(*) FROM queued) AS queued,
            last.created_at AS last_at, last.event_id AS last_id
        FROM (SELECT 1) AS always
            LEFT JOIN (SELECT created_at, event_id FROM walked ORDER BY created_at DESC, event_id DESC LIMIT 1) last
            ON true"
    )
}

#[async_trait]
impl ReplayWrites for PgTx {
    async fn event(
        &mut self,
        organization_id: OrganizationId,
        event_id: EventId,
    ) -> Result<Option<QueuedEvent>, StoreError> {
        let text = "SELECT organization_id, event_id, event_type, verdict, pod_id, inbox_id, created_at, position
            FROM feed
            WHERE organization_id = $1 AND event_id = $2 AND sequenced_at >= $3";
        let from = event_id.made_at().checked_sub(SKEW).unwrap_or(OffsetDateTime::UNIX_EPOCH);
        let statement = Sql::new(text).uuid(organization_id.0).uuid(event_id.0).time(from);
        let row = statement.row::<ReplayedEventRow>(self.connection().await?).await?;
        row.map(|row| {
            Ok(QueuedEvent {
                organization_id: row.organization_id.into(),
                event_id: row.event_id.into(),
                event_type: event_type(&row.event_type)?,
                verdict: row.verdict.as_deref().and_then(Verdict::named),
                pod_id: row.pod_id.map(PodId::from),
                inbox_id: row.inbox_id.map(InboxId::stored),
                created_at: row.created_at,
                position: row.position,
            })
        })
        .transpose()
    }

    async fn queue(
        &mut self,
        webhook_id: WebhookId,
        event: &QueuedEvent,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let text = format!(
            "INSERT INTO webhook_deliveries AS d (organization_id, webhook_id, event_id, event_type, event_created_at,
                position, attempts, due_at, claim_id)
            VALUES ($1, $2, $3, $4, $5, $6, 0, $7, $8) {BEGIN_ANEW}"
        );
        let written = Sql::new(text)
            .uuid(event.organization_id.0)
            .uuid(webhook_id.0)
            .uuid(event.event_id.0)
            .text(event.event_type.as_str())
            .time(event.created_at)
            .big(event.position)
            .time(now)
            .uuid(Uuid::nil())
            .run(self.connection().await?)
            .await?;
        Ok(written > 0)
    }

    async fn begin(&mut self, span: &ReplaySpan) -> Result<(), StoreError> {
        // All events of the first moment sort behind the nil id.
        let text =
            "INSERT INTO webhook_replays AS r (organization_id, webhook_id, next_at, next_id, until_at, walked_at)
            VALUES ($1, $2, $3, $4, $5, $5)
            ON CONFLICT ON CONSTRAINT webhook_replays_pkey DO UPDATE SET
                next_id = CASE WHEN EXCLUDED.next_at <= r.next_at THEN EXCLUDED.next_id ELSE r.next_id END,
                next_at = least(r.next_at, EXCLUDED.next_at),
                until_at = greatest(r.until_at, EXCLUDED.until_at)";
        Sql::new(text)
            .uuid(span.organization_id.0)
            .uuid(span.webhook_id.0)
            .time(span.since)
            .uuid(Uuid::nil())
            .time(span.until)
            .run(self.connection().await?)
            .await?;
        Ok(())
    }

    async fn next(
        &mut self,
        most_waiting: u32,
        now: OffsetDateTime,
    ) -> Result<Option<(OrganizationId, WebhookId)>, StoreError> {
        let connection = self.connection().await?;
        Sql::new(
            "DELETE FROM webhook_replays r WHERE NOT EXISTS (
                SELECT FROM webhooks w WHERE w.organization_id = r.organization_id AND w.webhook_id = r.webhook_id)",
        )
        .run(connection)
        .await?;
        let text = "UPDATE webhook_replays r SET walked_at = $2 FROM (
                SELECT o.organization_id, o.webhook_id FROM webhook_replays o
                    JOIN webhooks w ON w.organization_id = o.organization_id AND w.webhook_id = o.webhook_id
                WHERE w.enabled AND (SELECT count(*) FROM (
                    SELECT FROM webhook_deliveries d
                    WHERE d.organization_id = o.organization_id AND d.webhook_id = o.webhook_id LIMIT $1) waiting) < $1
                ORDER BY o.walked_at LIMIT 1 FOR NO KEY UPDATE OF o SKIP LOCKED) chosen
            WHERE r.organization_id = chosen.organization_id AND r.webhook_id = chosen.webhook_id
            RETURNING r.organization_id, r.webhook_id";
        let row = Sql::new(text).big(i64::from(most_waiting)).time(now).row::<ReplayRow>(connection).await?;
        Ok(row.map(|row| (row.organization_id.into(), row.webhook_id.into())))
    }

    async fn walk(
        &mut self,
        organization_id: OrganizationId,
        webhook_id: WebhookId,
        now: OffsetDateTime,
        limit: u32,
    ) -> Result<Walked, StoreError> {
        let connection = self.connection().await?;
        let row = Sql::new(walk_statement())
            .uuid(organization_id.0)
            .uuid(webhook_id.0)
            .time(now)
            .big(i64::from(limit))
            .uuid(Uuid::nil())
            .row::<WalkedRow>(connection)
            .await?
            .ok_or_else(contention)?;
        let queued = to_count(row.queued);
        let is_full = row.looked_at >= i64::from(limit);
        if let Some((at, id)) = row.last_at.zip(row.last_id).filter(|_| is_full) {
            let text = "UPDATE webhook_replays SET next_at = $3, next_id = $4
                WHERE organization_id = $1 AND webhook_id = $2";
            Sql::new(text).uuid(organization_id.0).uuid(webhook_id.0).time(at).uuid(id).run(connection).await?;
            return Ok(Walked { queued, is_end: false });
        }
        let text = "DELETE FROM webhook_replays WHERE organization_id = $1 AND webhook_id = $2";
        Sql::new(text).uuid(organization_id.0).uuid(webhook_id.0).run(connection).await?;
        Ok(Walked { queued, is_end: true })
    }
}

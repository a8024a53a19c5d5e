//! Giving committed events their places.

use diesel::QueryableByName;
use diesel::sql_types::{Bool, Uuid as SqlUuid};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::OrganizationId;
use inboxd_core::ports::{Sequenced, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::deliveries::HEARS;
use crate::sql::Sql;

/// The most events of one organization that get their places at once.
const BATCH: i64 = 2000;

/// One statement, so that nobody who stands still in the middle of it can hold a head.
///
/// Whoever waited for a head goes on behind those who held it: the lock hands out the row as it is then. An event without
/// a place that the statement saw when it began, and that somebody else gave one meanwhile, is gone when it is taken, and is
/// passed over. What commits after the statement began is left for the next. Together with its place an event gets its
/// deliveries to the webhooks that hear of it, but for those that were made long after it: a minute is more than two
/// clocks differ by.
const SEQUENCE: &str = "
    WITH heads AS MATERIALIZED (
        SELECT organization_id, sequenced_at, position FROM feed_heads
        WHERE organization_id = ANY($1) ORDER BY organization_id FOR NO KEY UPDATE
    ), taken AS (
        DELETE FROM feed_pending p USING (
            SELECT w.organization_id, w.event_id FROM heads h CROSS JOIN LATERAL (
                SELECT organization_id, event_id FROM feed_pending
                WHERE organization_id = h.organization_id ORDER BY event_id LIMIT $3
            ) w
        ) waiting
        WHERE p.organization_id = waiting.organization_id AND p.event_id = waiting.event_id
        RETURNING p.organization_id, p.event_id, p.created_at
    ), placed AS MATERIALIZED (
        SELECT t.organization_id, greatest(h.sequenced_at, $2) AS sequenced_at,
            h.position + row_number() OVER (PARTITION BY t.organization_id ORDER BY t.event_id) AS position,
            t.event_id, t.created_at, e.event_type, e.pod_id, e.inbox_id
        FROM taken t JOIN heads h ON h.organization_id = t.organization_id
            JOIN events e ON e.organization_id = t.organization_id AND e.created_at = t.created_at
                AND e.event_id = t.event_id
    ), written AS (
        INSERT INTO feed
            (organization_id, sequenced_at, position, event_id, created_at, event_type, pod_id, inbox_id)
        SELECT * FROM placed
    ), queued AS (
        INSERT INTO webhook_deliveries
            (organization_id, webhook_id, event_id, event_type, event_created_at, position, due_at)
        SELECT e.organization_id, w.webhook_id, e.event_id, e.event_type, e.created_at, e.position, $2
        FROM placed e JOIN webhooks w ON w.organization_id = e.organization_id AND {HEARS}
            AND e.created_at > w.created_at - interval '1 minute'
        ON CONFLICT DO NOTHING
    )
    UPDATE feed_heads h SET sequenced_at = last.sequenced_at, position = last.position
    FROM (SELECT organization_id, max(sequenced_at) AS sequenced_at, max(position) AS position,
            count(*) AS events
        FROM placed GROUP BY organization_id) last
    WHERE h.organization_id = last.organization_id
    RETURNING h.organization_id, last.events >= $3 AS is_more";

#[derive(QueryableByName)]
struct SequencedRow {
    #[diesel(sql_type = SqlUuid)]
    organization_id: Uuid,
    #[diesel(sql_type = Bool)]
    is_more: bool,
}

#[derive(QueryableByName)]
struct OrganizationRow {
    #[diesel(sql_type = SqlUuid)]
    organization_id: Uuid,
}

pub(super) async fn sequence(
    connection: &mut AsyncPgConnection,
    organizations: &[OrganizationId],
    now: OffsetDateTime,
) -> Result<Vec<Sequenced>, StoreError> {
    let statement =
        Sql::new(SEQUENCE.replace("{HEARS}", HEARS)).uuids(organizations.iter().map(|id| id.0)).time(now).big(BATCH);
    let rows = statement.rows::<SequencedRow>(connection).await?;
    Ok(rows
        .into_iter()
        .map(|row| Sequenced { organization_id: row.organization_id.into(), is_more: row.is_more })
        .collect())
}

pub(super) async fn unsequenced(
    connection: &mut AsyncPgConnection,
    limit: u32,
) -> Result<Vec<OrganizationId>, StoreError> {
    let text = "SELECT organization_id FROM feed_pending GROUP BY organization_id LIMIT $1";
    let rows = Sql::new(text).big(i64::from(limit)).rows::<OrganizationRow>(connection).await?;
    Ok(rows.into_iter().map(|row| row.organization_id.into()).collect())
}

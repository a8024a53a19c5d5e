//! Sequencer statements: assignment of feed positions to events, at their commit or later.

use std::sync::LazyLock;

use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Bool, Nullable, Timestamptz, Uuid as SqlUuid};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::OrganizationId;
use inboxd_core::model::feed::FeedPosition;
use inboxd_core::ports::{EventKey, Placed, Sequenced, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::deliveries::HEARS;
use crate::scalar_rows::OrganizationIdRow;
use crate::sql::Sql;

/// Notification channel of all processes of a database.
pub(crate) const CHANNEL: &str = "inboxd";

/// Maximum events of one organization per run. It is a literal in the statement, so that the planner knows the number.
const BATCH: &str = "2000";

/// Maximum pending events of one organization that a commit sequences beside its own.
const ALONG: &str = "32";

/// Assigns positions to pending events.
///
/// It is one statement, so that a stalled process cannot hold the lock of a feed head between two statements. A head
/// without pending events is not locked.
///
/// After a wait for a head, the lock returns the current version of its row, so positions continue behind those of the
/// previous holder. A pending event that another transaction sequenced meanwhile is already deleted and is skipped.
/// Events committed after the statement began, and those beyond the limit, are left for the next run.
///
/// The same commit notifies other processes, if there are any. Commits with a notification are serialized. They are
/// rare, because one process sequences many events at a time.
static SEQUENCE: LazyLock<String> = LazyLock::new(|| {
    format!(
        "
    WITH heads AS MATERIALIZED (
        SELECT organization_id, sequenced_at, position FROM feed_heads h
        WHERE organization_id = ANY($1)
            AND EXISTS (SELECT FROM feed_pending p WHERE p.organization_id = h.organization_id)
        ORDER BY organization_id FOR NO KEY UPDATE
    ), {taken}, {places}, notified AS MATERIALIZED (
        SELECT count(pg_notify('{CHANNEL}', 'feed ' || organization_id || ' ' || $3)) AS processes FROM moved WHERE $4
    )
    SELECT w.organization_id, w.is_more, p.sequenced_at, p.position, p.event_id, p.created_at,
        w.organization_id IN (SELECT organization_id FROM for_webhooks) AS has_deliveries
    FROM (SELECT organization_id, count(*) >= {BATCH} AS is_more FROM waiting GROUP BY organization_id) w
        CROSS JOIN notified LEFT JOIN placed p ON p.organization_id = w.organization_id
    WHERE w.is_more OR p.position IS NOT NULL
    ORDER BY w.organization_id, p.position",
        taken = taken(BATCH),
        places = places("SELECT * FROM taken", "t.event_id", "$2::timestamptz"),
    )
});

/// Returns the CTEs that delete at most `most` pending events of each organization in `heads`, which are locked.
///
/// They are the oldest ones in the order of the key, so that their last one bounds a range.
fn taken(most: &str) -> String {
    format!(
        "waiting AS MATERIALIZED (
        SELECT w.organization_id, w.event_id FROM heads h CROSS JOIN LATERAL (
            SELECT organization_id, event_id FROM feed_pending
            WHERE organization_id = h.organization_id ORDER BY event_id LIMIT {most}
        ) w
    ), last_waiting AS (
        SELECT DISTINCT ON (organization_id) organization_id, event_id FROM waiting
        ORDER BY organization_id, event_id DESC
    ), taken AS (
        DELETE FROM feed_pending p USING last_waiting l
        WHERE p.organization_id = l.organization_id AND p.event_id <= l.event_id
        RETURNING p.organization_id, p.event_id, p.created_at, p.event_type, p.pod_id, p.inbox_id, p.verdict
    )"
    )
}

/// Returns the CTEs that assign positions behind `heads`, which are locked.
///
/// The events are those of a query, named `t`, in the given order. The time `at` is the same for all of one
/// organization.
///
/// The same statement inserts the deliveries of each event to the existing webhooks. Times are not compared, because
/// the clock may have been set back since the creation of a webhook.
fn places(events: &str, order: &str, at: &str) -> String {
    format!(
        "placed AS MATERIALIZED (
        SELECT t.organization_id, greatest(h.sequenced_at, {at}) AS sequenced_at,
            h.position + row_number() OVER (PARTITION BY t.organization_id ORDER BY {order}) AS position,
            t.event_id, t.created_at, t.event_type, t.pod_id, t.inbox_id, t.verdict, {at} AS at
        FROM ({events}) t JOIN heads h ON h.organization_id = t.organization_id
    ), in_feed AS (
        INSERT INTO feed
            (organization_id, sequenced_at, position, event_id, created_at, event_type, pod_id, inbox_id, verdict)
        SELECT organization_id, sequenced_at, position, event_id, created_at, event_type, pod_id, inbox_id, verdict
        FROM placed
    ), for_webhooks AS (
        INSERT INTO webhook_deliveries
            (organization_id, webhook_id, event_id, event_type, event_created_at, position, due_at)
        SELECT e.organization_id, w.webhook_id, e.event_id, e.event_type, e.created_at, e.position, e.at
        FROM placed e JOIN webhooks w ON w.organization_id = e.organization_id AND {HEARS}
        ON CONFLICT DO NOTHING
        RETURNING organization_id
    ), moved AS (
        UPDATE feed_heads h SET sequenced_at = last.sequenced_at, position = last.position
        FROM (SELECT organization_id, max(sequenced_at) AS sequenced_at, max(position) AS position
            FROM placed GROUP BY organization_id) last
        WHERE h.organization_id = last.organization_id
        RETURNING h.organization_id
    )"
    )
}

/// Assigns positions to the events of `appended` in the statement that appends them. `$1` are the organizations.
///
/// Events of an organization with a locked head become pending. Events that were pending when the statement began
/// precede the new ones, which may be their consequences. Behind more than [`ALONG`] of them, the new ones become
/// pending too.
///
/// The caller must commit in the same round trip: until then no other transaction assigns positions in the
/// organization.
pub(crate) static PLACES: LazyLock<String> = LazyLock::new(|| {
    format!(
        "heads AS MATERIALIZED (
        SELECT organization_id, sequenced_at, position FROM feed_heads h
        WHERE organization_id = ANY($1)
            AND NOT EXISTS (SELECT FROM feed_pending p WHERE p.organization_id = h.organization_id OFFSET {ALONG})
        ORDER BY organization_id FOR NO KEY UPDATE SKIP LOCKED
    ), {taken}, {places}, unplaced AS (
        INSERT INTO feed_pending (organization_id, event_id, created_at, event_type, pod_id, inbox_id, verdict)
        SELECT organization_id, event_id, created_at, event_type, pod_id, inbox_id, verdict FROM appended a
        WHERE NOT EXISTS (SELECT FROM heads h WHERE h.organization_id = a.organization_id)
    )",
        taken = taken(ALONG),
        places = places(
            "SELECT organization_id, event_id, created_at, event_type, pod_id, inbox_id, verdict, true AS is_new
                FROM appended
                UNION ALL SELECT organization_id, event_id, created_at, event_type, pod_id, inbox_id, verdict, false
                FROM taken",
            "t.is_new, t.event_id",
            "max(t.created_at) FILTER (WHERE t.is_new) OVER (PARTITION BY t.organization_id)"
        ),
    )
});

/// An event with its new position; without a position, an organization that may have more pending events.
#[derive(QueryableByName)]
pub(crate) struct SequencedRow {
    #[diesel(sql_type = Nullable<SqlUuid>)]
    organization_id: Option<Uuid>,
    #[diesel(sql_type = Bool)]
    is_more: bool,
    #[diesel(sql_type = Bool)]
    has_deliveries: bool,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    sequenced_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<BigInt>)]
    position: Option<i64>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    event_id: Option<Uuid>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    created_at: Option<OffsetDateTime>,
}

impl SequencedRow {
    fn placed(&self) -> Option<Placed> {
        Some(Placed {
            place: FeedPosition { at: self.sequenced_at?, position: self.position? },
            event: EventKey {
                organization_id: self.organization_id?.into(),
                created_at: self.created_at?,
                event_id: self.event_id?.into(),
            },
        })
    }
}

/// Assigns positions to pending events. If there are other processes, it notifies those with other names.
pub(super) async fn sequence(
    connection: &mut AsyncPgConnection,
    (name, others): (&str, bool),
    organizations: &[OrganizationId],
    now: OffsetDateTime,
) -> Result<Vec<Sequenced>, StoreError> {
    let ids = organizations.iter().map(|id| id.0);
    let statement = Sql::new(SEQUENCE.as_str()).uuids(ids).time(now).text(name).bind::<Bool, _>(others);
    Ok(sequenced(statement.rows::<SequencedRow>(connection).await?))
}

/// Groups rows by organization; they are in the order of organizations and positions. Rows without one are skipped.
pub(crate) fn sequenced(rows: impl IntoIterator<Item = SequencedRow>) -> Vec<Sequenced> {
    let mut sequenced: Vec<Sequenced> = Vec::new();
    for row in rows {
        let Some(organization_id) = row.organization_id.map(OrganizationId) else { continue };
        match sequenced.last_mut().filter(|last| last.organization_id == organization_id) {
            Some(last) => last.placed.extend(row.placed()),
            None => sequenced.push(Sequenced {
                organization_id,
                placed: row.placed().into_iter().collect(),
                has_deliveries: row.has_deliveries,
                is_more: row.is_more,
            }),
        }
    }
    sequenced
}

pub(super) async fn unsequenced(
    connection: &mut AsyncPgConnection,
    limit: u32,
) -> Result<Vec<OrganizationId>, StoreError> {
    let text = "SELECT organization_id FROM feed_pending GROUP BY organization_id LIMIT $1";
    let rows = Sql::new(text).big(i64::from(limit)).rows::<OrganizationIdRow>(connection).await?;
    Ok(rows.into_iter().map(|row| row.organization_id.into()).collect())
}

//! Starts and ends of events that the feed has not told yet.

use diesel::QueryableByName;
use diesel::sql_types::{Nullable, Text, Timestamptz, Uuid as SqlUuid};
use inboxd_core::model::{DatedEventId, InboxId, OrganizationId};
use inboxd_core::ports::{Destination, DueMoment, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::sql::Sql;
use crate::store::PgStore;
use crate::tx::PgTx;

#[derive(QueryableByName)]
struct MomentRow {
    #[diesel(sql_type = Nullable<Timestamptz>)]
    at: Option<OffsetDateTime>,
}

/// Due rows that the turns of organizations are made from.
const MAX_DUE_ROWS: i64 = 5_000;

const DUE_MOMENTS: &str = "
    SELECT organization_id, pod_id, inbox_id, uid FROM (
        SELECT due.*, row_number() OVER (PARTITION BY organization_id ORDER BY at) AS turn FROM (
            SELECT organization_id, pod_id, inbox_id, uid, min(next_moment_at) AS at FROM (
                SELECT e.organization_id, i.pod_id, e.inbox_id, e.uid, e.next_moment_at FROM calendar_events e
                JOIN inboxes i ON i.organization_id = e.organization_id AND i.inbox_id = e.inbox_id
                WHERE e.next_moment_at <= $1 AND coalesce(e.moment_retry_at <= $1, true) AND i.deleted_at IS NULL
                ORDER BY e.next_moment_at LIMIT $2) e
            GROUP BY 1, 2, 3, 4) due) due
    ORDER BY turn LIMIT $3";

#[derive(QueryableByName)]
struct DueMomentRow {
    #[diesel(sql_type = SqlUuid)]
    organization_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    pod_id: Uuid,
    #[diesel(sql_type = Text)]
    inbox_id: String,
    #[diesel(sql_type = Text)]
    uid: String,
}

impl DueMomentRow {
    fn entity(self) -> DueMoment {
        let destination = Destination {
            organization_id: self.organization_id.into(),
            pod_id: self.pod_id.into(),
            inbox_id: InboxId::stored(self.inbox_id),
        };
        DueMoment { destination, uid: self.uid }
    }
}

pub(super) async fn due(store: &PgStore, now: OffsetDateTime, limit: u32) -> Result<Vec<DueMoment>, StoreError> {
    let statement = Sql::new(DUE_MOMENTS).time(now).big(MAX_DUE_ROWS).big(limit.into());
    let rows = statement.rows::<DueMomentRow>(&mut *store.connection().await?).await?;
    Ok(rows.into_iter().map(DueMomentRow::entity).collect())
}

pub(super) async fn next(
    tx: &mut PgTx,
    organization_id: OrganizationId,
    inbox_id: &InboxId,
    uid: &str,
) -> Result<Option<OffsetDateTime>, StoreError> {
    let text = "SELECT min(next_moment_at) AS at FROM calendar_events
        WHERE organization_id = $1 AND inbox_id = $2 AND uid = $3";
    let statement = Sql::new(text).uuid(organization_id.0).text(inbox_id.as_str()).text(uid);
    Ok(statement.row::<MomentRow>(tx.connection().await?).await?.and_then(|row| row.at))
}

pub(super) async fn set(
    tx: &mut PgTx,
    organization_id: OrganizationId,
    inbox_id: &InboxId,
    moments: &[(DatedEventId, Option<OffsetDateTime>)],
) -> Result<(), StoreError> {
    let text = "UPDATE calendar_events e SET next_moment_at = m.at, moment_retry_at = NULL
        FROM unnest($3::text[], $4::timestamptz[]) AS m(event_id, at)
        WHERE e.organization_id = $1 AND e.inbox_id = $2 AND e.event_id = m.event_id COLLATE \"C\"
            AND (e.next_moment_at IS DISTINCT FROM m.at OR e.moment_retry_at IS NOT NULL)";
    let ids: Vec<String> = moments.iter().map(|(id, _)| id.to_string()).collect();
    let statement = Sql::new(text).uuid(organization_id.0).text(inbox_id.as_str());
    let statement = statement.texts(ids.iter().map(String::as_str));
    statement.optional_times(moments.iter().map(|(_, at)| *at)).run(tx.connection().await?).await?;
    Ok(())
}

pub(super) async fn postpone(
    tx: &mut PgTx,
    organization_id: OrganizationId,
    inbox_id: &InboxId,
    uid: &str,
    until: OffsetDateTime,
) -> Result<(), StoreError> {
    let text = "UPDATE calendar_events SET moment_retry_at = $4
        WHERE organization_id = $1 AND inbox_id = $2 AND uid = $3 AND next_moment_at IS NOT NULL";
    let statement = Sql::new(text).uuid(organization_id.0).text(inbox_id.as_str()).text(uid).time(until);
    statement.run(tx.connection().await?).await?;
    Ok(())
}

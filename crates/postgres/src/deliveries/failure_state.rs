//! Failure streaks of webhooks.

use diesel::QueryableByName;
use diesel::sql_types::{Array, Bool, Nullable, Timestamptz};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::{OrganizationId, WebhookId};
use inboxd_core::ports::{FailureRun, StoreError};
use inboxd_core::rules::webhooks::auto_disable::FailureStreak;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::schema::webhooks;
use crate::sql::Sql;

/// Locks webhooks with a failure before or now. All others stay unlocked: most webhooks never fail.
const LOCK: &str = "
    SELECT w.organization_id, w.webhook_id, w.enabled, w.failing_since, w.last_failed_at
    FROM unnest($1::uuid[], $2::uuid[], $3::boolean[]) AS c(organization_id, webhook_id, has_failed)
        JOIN webhooks w ON w.organization_id = c.organization_id AND w.webhook_id = c.webhook_id
    WHERE c.has_failed OR w.failing_since IS NOT NULL
    ORDER BY w.organization_id, w.webhook_id
    FOR NO KEY UPDATE OF w";

const UPDATE: &str = "
    UPDATE webhooks w SET enabled = r.enabled, failing_since = r.failing_since,
        last_failed_at = coalesce(r.last_failed_at, w.last_failed_at),
        updated_at = CASE WHEN w.enabled = r.enabled THEN w.updated_at ELSE $6 END
    FROM unnest($1::uuid[], $2::uuid[], $3::boolean[], $4::timestamptz[], $5::timestamptz[])
        AS r(organization_id, webhook_id, enabled, failing_since, last_failed_at)
    WHERE w.organization_id = r.organization_id AND w.webhook_id = r.webhook_id";

#[derive(QueryableByName)]
#[diesel(table_name = webhooks)]
struct RunRow {
    organization_id: Uuid,
    webhook_id: Uuid,
    enabled: bool,
    failing_since: Option<OffsetDateTime>,
    last_failed_at: Option<OffsetDateTime>,
}

impl RunRow {
    fn entity(self) -> FailureRun {
        let run =
            self.failing_since.map(|since| FailureStreak { since, last_at: self.last_failed_at.unwrap_or(since) });
        FailureRun {
            organization_id: self.organization_id.into(),
            webhook_id: self.webhook_id.into(),
            run,
            enabled: self.enabled,
        }
    }
}

/// Reads and locks the failure streaks of webhooks.
pub(super) async fn lock(
    connection: &mut AsyncPgConnection,
    webhooks: &[(OrganizationId, WebhookId, bool)],
) -> Result<Vec<FailureRun>, StoreError> {
    if webhooks.is_empty() {
        return Ok(Vec::new());
    }
    let rows = Sql::new(LOCK)
        .uuids(webhooks.iter().map(|(organization_id, ..)| organization_id.0))
        .uuids(webhooks.iter().map(|(_, webhook_id, _)| webhook_id.0))
        .bools(webhooks.iter().map(|(.., has_failed)| *has_failed))
        .rows::<RunRow>(connection)
        .await?;
    Ok(rows.into_iter().map(RunRow::entity).collect())
}

/// Stores the failure streaks of webhooks. The time of the last failure outlives its streak.
pub(super) async fn update(
    connection: &mut AsyncPgConnection,
    runs: &[FailureRun],
    at: OffsetDateTime,
) -> Result<(), StoreError> {
    let times =
        |time: fn(FailureStreak) -> OffsetDateTime| runs.iter().map(|run| run.run.map(time)).collect::<Vec<_>>();
    Sql::new(UPDATE)
        .uuids(runs.iter().map(|run| run.organization_id.0))
        .uuids(runs.iter().map(|run| run.webhook_id.0))
        .bind::<Array<Bool>, _>(runs.iter().map(|run| run.enabled).collect::<Vec<_>>())
        .bind::<Array<Nullable<Timestamptz>>, _>(times(|run| run.since))
        .bind::<Array<Nullable<Timestamptz>>, _>(times(|run| run.last_at))
        .time(at)
        .run(connection)
        .await?;
    Ok(())
}

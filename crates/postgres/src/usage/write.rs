//! Writes of usage, and counts against limits.

use std::sync::LazyLock;

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Date as SqlDate};
use inboxd_core::model::{InboxId, OrganizationId, SendCounts, UsageChange};
use inboxd_core::ports::{CountedRows, Sampling, StoreError, UsageWrites};
use time::Date;

use super::change::{bind, rows_of, update_usage};
use super::{STORAGE_BYTES, from_count, to_count};
use crate::cte::writing;
use crate::metrics::sample;
use crate::scalar_rows::CountRow;
use crate::sql::Sql;
use crate::tx::PgTx;

static CHANGE: LazyLock<String> = LazyLock::new(|| writing(&[update_usage()]));

#[derive(QueryableByName)]
struct SendCountsRow {
    #[diesel(sql_type = BigInt)]
    today: i64,
    #[diesel(sql_type = BigInt)]
    this_month: i64,
}

#[async_trait]
impl UsageWrites for PgTx {
    async fn change(&mut self, changes: &[(OrganizationId, InboxId, UsageChange)]) -> Result<(), StoreError> {
        bind(Sql::new(CHANGE.as_str()), changes)?.write(self.connection().await?, &[rows_of(changes)]).await
    }

    async fn storage_bytes(&mut self, organization_id: OrganizationId) -> Result<u64, StoreError> {
        let row = Sql::new(STORAGE_BYTES).uuid(organization_id.0).row::<CountRow>(self.connection().await?).await?;
        Ok(row.map_or(0, |row| to_count(row.count)))
    }

    async fn sends(&mut self, organization_id: OrganizationId, today: Date) -> Result<SendCounts, StoreError> {
        let first = today.replace_day(1).unwrap_or(today);
        let text = "SELECT coalesce(sum(count) FILTER (WHERE day = $3), 0)::bigint AS today,
                coalesce(sum(count), 0)::bigint AS this_month
            FROM send_counts WHERE organization_id = $1 AND day BETWEEN $2 AND $3";
        let row = Sql::new(text)
            .uuid(organization_id.0)
            .bind::<SqlDate, _>(first)
            .bind::<SqlDate, _>(today)
            .row::<SendCountsRow>(self.connection().await?)
            .await?;
        Ok(row.map_or_else(SendCounts::default, |row| SendCounts {
            today: to_count(row.today),
            this_month: to_count(row.this_month),
        }))
    }

    async fn count_rows(
        &mut self,
        organization_id: OrganizationId,
        rows: &CountedRows,
        limit: u64,
    ) -> Result<u64, StoreError> {
        let (rows, inbox_id) = match rows {
            CountedRows::Drafts(inbox_id) => ("drafts WHERE organization_id = $1 AND inbox_id = $3", inbox_id.as_str()),
            CountedRows::Files => ("files WHERE organization_id = $1 AND $3 = ''", ""),
            CountedRows::ListEntries => ("list_entries WHERE organization_id = $1 AND $3 = ''", ""),
            CountedRows::ContactDecisions => {
                ("contacts WHERE organization_id = $1 AND decision IS NOT NULL AND $3 = ''", "")
            }
            // Keys of sign-ins have a rate instead: those of one member must not use up the keys of the organization.
            CountedRows::ApiKeys => (
                "api_keys WHERE organization_id = $1 AND revoked_at IS NULL AND connection_id IS NULL AND member_id IS NULL
                    AND $3 = ''",
                "",
            ),
            CountedRows::PendingInvitations => {
                ("members WHERE organization_id = $1 AND removed_at IS NULL AND joined_at IS NULL AND $3 = ''", "")
            }
        };
        let text = format!("SELECT count(*) AS count FROM (SELECT FROM {rows} LIMIT $2) AS counted");
        let statement = Sql::new(text).uuid(organization_id.0).big(from_count(limit)).text(inbox_id);
        let row = statement.row::<CountRow>(self.connection().await?).await?;
        Ok(row.map_or(0, |row| to_count(row.count)))
    }

    async fn count_creation(&mut self, organization_id: OrganizationId, today: Date) -> Result<u64, StoreError> {
        let text = "WITH past AS (
                DELETE FROM creation_counts WHERE organization_id = $1 AND day < $2
            )
            INSERT INTO creation_counts (organization_id, day, count) VALUES ($1, $2, 1)
            ON CONFLICT (organization_id, day) DO UPDATE SET count = creation_counts.count + 1
            RETURNING count";
        let statement = Sql::new(text).uuid(organization_id.0).bind::<SqlDate, _>(today);
        let row = statement.row::<CountRow>(self.connection().await?).await?;
        Ok(row.map_or(0, |row| to_count(row.count)))
    }

    async fn sample(&mut self, sampling: &Sampling) -> Result<Option<OrganizationId>, StoreError> {
        sample::sample(self.connection().await?, sampling).await
    }
}

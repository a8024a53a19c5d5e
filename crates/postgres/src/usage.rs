//! Usage against limits.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Date as SqlDate};
use inboxd_core::model::{InboxId, OrganizationId, SendCounts, UsageChange};
use inboxd_core::ports::{CountedRows, Sampling, StoreError, UsageWrites};
use time::Date;

use crate::array_params::{Column, Values, names, unnest_rows};
use crate::cte::{CteFragment, writing};
use crate::metrics::sample;
use crate::sql::Sql;
use crate::tx::PgTx;

/// Bytes of live messages, drafts, notes and files of organization `$1`. An inbox may still receive a write during its
/// deletion, so the sum covers live inboxes.
pub(crate) const STORAGE_BYTES: &str = "SELECT coalesce(sum(u.storage_bytes), 0)::bigint AS count
    FROM inbox_usage u JOIN inboxes i ON i.organization_id = u.organization_id AND i.inbox_id = u.inbox_id
    WHERE u.organization_id = $1 AND i.organization_id = $1 AND i.deleted_at IS NULL";

/// A single number.
#[derive(QueryableByName)]
pub(crate) struct CountRow {
    #[diesel(sql_type = BigInt)]
    pub(crate) count: i64,
}

#[derive(QueryableByName)]
struct SendCountsRow {
    #[diesel(sql_type = BigInt)]
    today: i64,
    #[diesel(sql_type = BigInt)]
    this_month: i64,
}

/// Converts a stored count; a negative one counts as zero.
pub(crate) fn to_count(stored: i64) -> u64 {
    u64::try_from(stored).unwrap_or(0)
}

/// Converts a count for storage.
pub(crate) fn from_count(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
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
            CountedRows::ApiKeys => {
                ("api_keys WHERE organization_id = $1 AND revoked_at IS NULL AND connection_id IS NULL AND $3 = ''", "")
            }
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

/// A change of the usage of an inbox.
type InboxChange = (OrganizationId, InboxId, UsageChange);

/// Columns of a change of usage.
const CHANGED: &[Column<InboxChange>] = &[
    ("organization_id", Values::Uuid(|(organization_id, ..)| organization_id.0)),
    ("inbox_id", Values::Text(|(_, inbox_id, _)| inbox_id.as_str())),
    ("storage_bytes", Values::BigInt(|(.., change)| change.storage_bytes)),
    ("messages", Values::BigInt(|(.., change)| change.messages)),
    ("threads", Values::BigInt(|(.., change)| change.threads)),
];

/// Columns of a count of sent mail.
const SENT: &[Column<(OrganizationId, Date, u32)>] = &[
    ("organization_id", Values::Uuid(|(organization_id, ..)| organization_id.0)),
    ("day", Values::Date(|(_, day, _)| *day)),
    ("count", Values::BigInt(|(.., mails)| i64::from(*mails))),
];

/// Updates the usage of inboxes: the rows are locked in order, each once.
pub(crate) fn update_usage() -> CteFragment {
    let tables = format!(
        "used AS (
            INSERT INTO inbox_usage (organization_id, inbox_id, storage_bytes, messages, threads)
            SELECT c.organization_id, c.inbox_id, sum(c.storage_bytes)::bigint, sum(c.messages)::bigint, sum(c.threads)::bigint
                FROM ({}) c GROUP BY c.organization_id, c.inbox_id ORDER BY c.inbox_id COLLATE \"C\"
            ON CONFLICT (organization_id, inbox_id) DO UPDATE SET
                storage_bytes = inbox_usage.storage_bytes + excluded.storage_bytes,
                messages = inbox_usage.messages + excluded.messages,
                threads = inbox_usage.threads + excluded.threads
            RETURNING 1
        )",
        unnest_rows(CHANGED)
    );
    CteFragment { tables, counted: "used" }
}

/// Updates the counts of sent messages.
pub(crate) fn update_sends() -> CteFragment {
    let tables = format!(
        "sends AS (
            INSERT INTO send_counts ({}) {}
            ON CONFLICT (organization_id, day) DO UPDATE SET count = send_counts.count + excluded.count
            RETURNING 1
        )",
        names(SENT),
        unnest_rows(SENT)
    );
    CteFragment { tables, counted: "sends" }
}

static CHANGE: LazyLock<String> = LazyLock::new(|| writing(&[update_usage()]));

/// Binds the rows of [`used`].
pub(crate) fn bind<'a>(statement: Sql<'a>, changes: &'a [InboxChange]) -> Result<Sql<'a>, StoreError> {
    statement.bind_rows(CHANGED, changes)
}

/// Binds the rows of [`sends`].
pub(crate) fn bind_sends<'a>(
    statement: Sql<'a>,
    sends: &'a [(OrganizationId, Date, u32)],
) -> Result<Sql<'a>, StoreError> {
    statement.bind_rows(SENT, sends)
}

/// Returns the number of rows that these changes write.
pub(crate) fn rows_of(changes: &[(OrganizationId, InboxId, UsageChange)]) -> usize {
    changes.iter().map(|(organization_id, inbox_id, _)| (organization_id, inbox_id)).collect::<BTreeSet<_>>().len()
}

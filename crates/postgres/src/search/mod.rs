//! Substring index behind searches (`docs/search.md`).
//!
//! ```text
//! index_backlog  inboxes with enough unindexed messages
//! flush          new segments of unindexed messages
//! merge          merges of segments
//! segments       rows of a segment
//! unlisted       segments in construction, and replaced ones
//! forget         deletion of the index of an inbox
//! query          candidate messages of an inbox for given texts
//! ```

mod flush;
pub(crate) mod forget;
pub(crate) mod index_backlog;
mod merge;
pub(crate) mod query;
mod question;
pub(crate) mod segments;
mod unlisted;

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{Bool, Text, Uuid as SqlUuid};
use inboxd_core::model::InboxId;
use inboxd_core::ports::{IndexedInbox, SearchIndex, StoreError};
use inboxd_search::SearchError;
use uuid::Uuid;

use crate::messages::rows::INBOX_LIVES;
use crate::sql::Sql;
use crate::store::PgStore;
use crate::tx::PgTx;

/// Minimum unindexed messages of a flush: a scan of fewer takes less time than a query of another segment.
pub(crate) const MIN_FLUSH_MESSAGES: usize = 64;

/// Planner settings: each row is found through an ordered index, which marks dead rows, under any estimate for tables
/// with much turnover.
macro_rules! by_index {
    ($begin:literal, $besides:literal) => {
        concat!($begin, "; SET LOCAL enable_bitmapscan = off; ", $besides)
    };
}

/// Snapshot for several queries. Unindexed messages are sorted by hour, however few the planner expects.
const BEGIN_SNAPSHOT: &str =
    by_index!("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", "SET LOCAL enable_sort = off");

/// Work without a wait for the disk: a crash loses only repeatable work. Plans are made for the actual values.
pub(crate) const BEGIN_WORK: &str =
    by_index!("BEGIN; SET LOCAL synchronous_commit = off", "SET LOCAL plan_cache_mode = auto");

/// Kinds of exclusive work. A flush adds a segment and a merge replaces existing ones, so the two do not conflict.
#[derive(Clone, Copy)]
enum IndexWork {
    Flush = 1,
    Merge = 2,
}

#[async_trait]
impl SearchIndex for PgStore {
    async fn index_some(&self, inbox: &IndexedInbox, segment_id: Uuid) -> Result<bool, StoreError> {
        flush::flush(self, inbox, segment_id).await
    }

    async fn merge_some(&self, inbox: &IndexedInbox, segment_id: Uuid, rest: u32) -> Result<bool, StoreError> {
        merge::merge(self, inbox, segment_id, rest).await
    }

    async fn inboxes_to_index(&self, after: Option<IndexedInbox>, limit: u32) -> Result<Vec<IndexedInbox>, StoreError> {
        // From one inbox to the next, without reading all unindexed rows.
        let text = "WITH RECURSIVE walk AS (
                SELECT $1::uuid AS organization_id, $2::text COLLATE \"C\" AS inbox_id, 0 AS place
                UNION ALL
                SELECT next.organization_id, next.inbox_id, walk.place + 1
                FROM walk CROSS JOIN LATERAL (
                    SELECT organization_id, inbox_id FROM search_pending
                    WHERE (organization_id, inbox_id) > (walk.organization_id, walk.inbox_id)
                    ORDER BY organization_id, inbox_id LIMIT 1) next
            )
            SELECT w.organization_id, w.inbox_id FROM walk w
            WHERE w.place > 0 AND (SELECT count(*) FROM (
                SELECT FROM search_pending p
                WHERE p.organization_id = w.organization_id AND p.inbox_id = w.inbox_id
                ORDER BY p.hidden, p.hour, p.pending_id LIMIT $3) few) >= $3
            LIMIT $4";
        let rows = Sql::new(text)
            .uuid(after.as_ref().map(|inbox| inbox.organization_id.0).unwrap_or_default())
            .text(after.as_ref().map(|inbox| inbox.inbox_id.as_str()).unwrap_or_default())
            .big(i64::try_from(MIN_FLUSH_MESSAGES).unwrap_or(i64::MAX))
            .big(i64::from(limit))
            .rows::<IndexedInboxRow>(&mut *self.connection().await?)
            .await?;
        let inboxes = rows.into_iter().map(|row| IndexedInbox {
            organization_id: row.organization_id.into(),
            inbox_id: InboxId::stored(row.inbox_id),
        });
        Ok(inboxes.collect())
    }
}

#[derive(QueryableByName)]
struct IndexedInboxRow {
    #[diesel(sql_type = SqlUuid)]
    organization_id: Uuid,
    #[diesel(sql_type = Text)]
    inbox_id: String,
}

#[derive(QueryableByName)]
struct ClaimRow {
    #[diesel(sql_type = Bool)]
    claimed: bool,
}

/// Begins a snapshot of the index and the messages behind it.
pub(crate) async fn begin_snapshot(store: &PgStore) -> Result<PgTx, StoreError> {
    store.begin_with(BEGIN_SNAPSHOT).await
}

/// Begins a unit of work on the index of an inbox; `None` while another process does the same work, or after the
/// deletion of the inbox.
async fn begin(store: &PgStore, inbox: &IndexedInbox, work: IndexWork) -> Result<Option<PgTx>, StoreError> {
    let mut tx = store.begin_with(BEGIN_WORK).await?;
    Ok(claim(&mut tx, inbox, work).await?.then_some(tx))
}

async fn claim(tx: &mut PgTx, inbox: &IndexedInbox, work: IndexWork) -> Result<bool, StoreError> {
    let text = format!("SELECT pg_try_advisory_xact_lock(hashtextextended($2, $3)) AND {INBOX_LIVES} AS claimed");
    let row = Sql::new(text)
        .uuid(inbox.organization_id.0)
        .text(inbox.inbox_id.as_str())
        .big(work as i64)
        .row::<ClaimRow>(tx.connection().await?)
        .await?;
    Ok(row.is_some_and(|row| row.claimed))
}

/// Maps the error of an unreadable or invalid segment.
pub(crate) fn broken(error: SearchError) -> StoreError {
    StoreError::Failed(format!("the index behind searches is broken: {error}"))
}

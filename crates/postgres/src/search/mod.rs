//! Substring index behind searches (`docs/search.md`).
//!
//! ```text
//! index_backlog  inboxes with enough unindexed messages
//! index_work     units of work on the index of an inbox
//! flush          new segments of unindexed messages
//! merge          merges of segments
//! segments       rows of a segment
//! unlisted       segments in construction, and replaced ones
//! forget         deletion of the index of an inbox
//! blocks         deletion of the blocks of segments
//! query          candidate messages of an inbox for given texts
//! postings       candidates of segments by their posting lists
//! ```

mod blocks;
mod flush;
pub(crate) mod forget;
pub(crate) mod index_backlog;
pub(crate) mod index_work;
mod merge;
mod postings;
pub(crate) mod query;
mod question;
pub(crate) mod segments;
mod unlisted;

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{Text, Uuid as SqlUuid};
use inboxd_core::model::InboxId;
use inboxd_core::ports::{IndexedInbox, SearchIndex, StoreError};
use uuid::Uuid;

use self::index_backlog::MIN_FLUSH_MESSAGES;
use crate::sql::Sql;
use crate::store::PgStore;

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

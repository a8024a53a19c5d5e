//! Reads of threads.

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{Array, BigInt, Nullable, Text, Uuid as SqlUuid};
use inboxd_core::model::{HidingLabels, InboxId, OrganizationId, Page, Thread, ThreadId};
use inboxd_core::ports::{StoreError, ThreadKey, ThreadQuery, ThreadReads, VisibleThread};
use uuid::Uuid;

use super::rows::{THREAD, ThreadRow};
use super::{list, search};
use crate::messages::rows::{INBOX_LIVES, unseen};
use crate::scalar_rows::CountRow;
use crate::schema::threads;
use crate::sql::Sql;
use crate::store::PgStore;
use crate::usage::to_count;

/// Location of a thread.
#[derive(QueryableByName)]
#[diesel(table_name = threads)]
struct ThreadInboxRow {
    inbox_id: String,
}

#[async_trait]
impl ThreadReads for PgStore {
    async fn list_threads(&self, query: &ThreadQuery) -> Result<Page<Thread>, StoreError> {
        if query.search.is_some()
            && let Some(page) = search::search(self, query).await?
        {
            return Ok(page);
        }
        list::list(self, query).await
    }

    async fn inbox_of_thread(
        &self,
        organization_id: OrganizationId,
        thread_id: ThreadId,
    ) -> Result<Option<InboxId>, StoreError> {
        let text = "SELECT t.inbox_id FROM threads t
            JOIN inboxes i ON i.organization_id = $1 AND i.inbox_id = t.inbox_id AND i.deleted_at IS NULL
            WHERE t.organization_id = $1 AND t.thread_id = $2";
        let row = Sql::new(text)
            .uuid(organization_id.0)
            .uuid(thread_id.0)
            .row::<ThreadInboxRow>(&mut *self.connection().await?)
            .await?;
        Ok(row.map(|row| InboxId::stored(row.inbox_id)))
    }

    async fn thread(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
        readable: HidingLabels,
    ) -> Result<Option<Thread>, StoreError> {
        let text = format!(
            "SELECT {THREAD} FROM threads t
            WHERE t.organization_id = $1 AND t.inbox_id = $2 AND t.thread_id = $3 AND t.hidden_sets & $4 <> 0
                AND {INBOX_LIVES}"
        );
        let row = Sql::new(text)
            .uuid(organization_id.0)
            .text(inbox_id.as_str())
            .uuid(thread_id.0)
            .integer(readable.shown_set())
            .row::<ThreadRow>(&mut *self.connection().await?)
            .await?;
        row.map(ThreadRow::entity).transpose()
    }

    async fn visible_threads(
        &self,
        organization_id: OrganizationId,
        threads: &[ThreadKey],
        readable: HidingLabels,
    ) -> Result<Vec<VisibleThread>, StoreError> {
        let text = "SELECT wanted.thread_id, s.labels, s.message_count, s.size
            FROM unnest($2::text[], $3::uuid[]) AS wanted(inbox_id, thread_id)
            CROSS JOIN LATERAL (
                SELECT count(DISTINCT m.message_id) AS message_count,
                    coalesce(sum(m.size) FILTER (WHERE l.place = 1), 0)::bigint AS size,
                    array_agg(DISTINCT l.label) AS labels
                FROM messages m CROSS JOIN LATERAL unnest(m.labels) WITH ORDINALITY AS l(label, place)
                WHERE m.organization_id = $1 AND m.inbox_id = wanted.inbox_id AND m.thread_id = wanted.thread_id
                    AND m.hidden & $4 = 0) AS s";
        let rows = Sql::new(text)
            .uuid(organization_id.0)
            .texts(threads.iter().map(|thread| thread.inbox_id.as_str()))
            .uuids(threads.iter().map(|thread| thread.thread_id.0))
            .small(unseen(readable))
            .rows::<VisibleRow>(&mut *self.connection().await?)
            .await?;
        Ok(rows.into_iter().map(VisibleRow::entity).collect())
    }

    async fn unread_threads(
        &self,
        organization_id: OrganizationId,
        inbox_ids: &[InboxId],
        limit: u32,
    ) -> Result<Vec<u64>, StoreError> {
        let text = "SELECT (
                SELECT count(*) FROM (
                    SELECT FROM thread_labels w
                    WHERE w.organization_id = $1 AND w.inbox_id = wanted.inbox_id AND w.label = 'unread' AND w.visible
                    LIMIT $3) AS unread) AS count
            FROM unnest($2::text[]) WITH ORDINALITY AS wanted(inbox_id, place)
            ORDER BY wanted.place";
        let rows = Sql::new(text)
            .uuid(organization_id.0)
            .texts(inbox_ids.iter().map(InboxId::as_str))
            .big(i64::from(limit))
            .rows::<CountRow>(&mut *self.connection().await?)
            .await?;
        Ok(rows.into_iter().map(|row| to_count(row.count)).collect())
    }
}

/// A thread without some of its messages.
#[derive(QueryableByName)]
struct VisibleRow {
    #[diesel(sql_type = SqlUuid)]
    thread_id: Uuid,
    #[diesel(sql_type = Nullable<Array<Text>>)]
    labels: Option<Vec<String>>,
    #[diesel(sql_type = BigInt)]
    message_count: i64,
    #[diesel(sql_type = BigInt)]
    size: i64,
}

impl VisibleRow {
    fn entity(self) -> VisibleThread {
        VisibleThread {
            thread_id: self.thread_id.into(),
            labels: self.labels.into_iter().flatten().collect(),
            message_count: to_count(self.message_count),
            size: to_count(self.size),
        }
    }
}

//! Writes of threads.

use std::collections::BTreeSet;

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{Text as SqlText, Uuid as SqlUuid};
use inboxd_core::model::{InboxId, OrganizationId, Thread, ThreadId};
use inboxd_core::ports::{StoreError, ThreadKey, ThreadWrites};
use time::OffsetDateTime;

use super::rows::{ITS_INBOX_LIVES, THREAD, ThreadRow};
use super::summaries::update;
use crate::error::expect_rows;
use crate::sql::Sql;
use crate::tx::PgTx;

const DELETE: &str = "
    WITH doomed AS (
        SELECT labels, visible, timestamp FROM threads
        WHERE organization_id = $1 AND inbox_id = $2 AND thread_id = $3
    ), label_rows AS MATERIALIZED (
        SELECT was.label, d.visible, d.timestamp FROM doomed d CROSS JOIN LATERAL unnest(d.labels) AS was(label)
    ), gone AS (
        DELETE FROM thread_labels l USING label_rows r
        WHERE l.organization_id = $1 AND l.inbox_id = $2 AND l.label = r.label AND l.visible = r.visible
            AND l.timestamp = r.timestamp AND l.thread_id = $3
    ), unsaid AS (
        DELETE FROM notes WHERE organization_id = $1 AND inbox_id = $2 AND thread_id = $3
        RETURNING octet_length(text) AS size
    ), freed AS (
        UPDATE inbox_usage SET storage_bytes = storage_bytes - n.size
        FROM (SELECT sum(size)::bigint AS size FROM unsaid) n
        WHERE organization_id = $1 AND inbox_id = $2 AND n.size > 0
    )
    DELETE FROM threads WHERE organization_id = $1 AND inbox_id = $2 AND thread_id = $3";

/// Threads in key order, each found by its whole key and locked before the next.
const LOCKED: &str = "unnest($1::uuid[], $2::text[], $3::uuid[]) AS wanted(organization_id, inbox_id, thread_id)
    CROSS JOIN LATERAL (
        SELECT * FROM threads
        WHERE organization_id = wanted.organization_id AND inbox_id = wanted.inbox_id AND thread_id = wanted.thread_id
        FOR NO KEY UPDATE)";

/// Threads per statement that lose their assignee.
const BATCH: i64 = 500;

/// Locks rows in the order of all threads and waits for concurrent writers. A second statement, which sees their writes,
/// changes the rows.
const LOCK_ASSIGNED: &str = "
    SELECT inbox_id, thread_id FROM threads
    WHERE organization_id = $1 AND assignee_id = $2 AND NOT (inbox_id = ANY($3))
    ORDER BY inbox_id, thread_id LIMIT $4 FOR NO KEY UPDATE";

/// Changes the locked rows.
const UNASSIGN: &str = "
    UPDATE threads t SET assignee_id = NULL, assignee = NULL, updated_at = $4
    FROM unnest($2::text[], $3::uuid[]) AS w(inbox_id, thread_id)
    WHERE t.organization_id = $1 AND t.inbox_id = w.inbox_id AND t.thread_id = w.thread_id";

/// Key of a thread within its organization.
#[derive(QueryableByName)]
struct ThreadKeyRow {
    #[diesel(sql_type = SqlText)]
    inbox_id: String,
    #[diesel(sql_type = SqlUuid)]
    thread_id: uuid::Uuid,
}

#[async_trait]
impl ThreadWrites for PgTx {
    async fn lock(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_ids: &[ThreadId],
    ) -> Result<Vec<Thread>, StoreError> {
        let key =
            |thread_id: &ThreadId| ThreadKey { organization_id, inbox_id: inbox_id.clone(), thread_id: *thread_id };
        self.lock_across(&thread_ids.iter().map(key).collect::<Vec<_>>()).await
    }

    async fn lock_across(&mut self, threads: &[ThreadKey]) -> Result<Vec<Thread>, StoreError> {
        let text = format!("SELECT {THREAD} FROM {LOCKED} t WHERE {ITS_INBOX_LIVES} ORDER BY t.inbox_id, t.thread_id");
        let mut threads: Vec<_> =
            threads.iter().map(|key| (key.organization_id.0, key.inbox_id.as_str(), key.thread_id.0)).collect();
        threads.sort_unstable_by_key(|(_, inbox_id, thread_id)| (*inbox_id, *thread_id));
        threads.dedup();
        let locking = Sql::new(text)
            .uuids(threads.iter().map(|(organization_id, ..)| *organization_id))
            .texts(threads.iter().map(|(_, inbox_id, _)| *inbox_id))
            .uuids(threads.iter().map(|(.., thread_id)| *thread_id));
        let rows: Vec<ThreadRow> = self.beginning(async |connection| locking.rows_among(connection).await).await?;
        rows.into_iter().map(ThreadRow::entity).collect()
    }

    async fn update(&mut self, threads: &[Thread]) -> Result<(), StoreError> {
        if !self.kept().threads.is_empty() {
            return update(self.connection().await?, threads).await;
        }
        self.kept().threads.extend_from_slice(threads);
        Ok(())
    }

    async fn unassign(
        &mut self,
        organization_id: OrganizationId,
        assignee_id: &str,
        keep: &BTreeSet<InboxId>,
        at: OffsetDateTime,
    ) -> Result<(), StoreError> {
        loop {
            let locked = Sql::new(LOCK_ASSIGNED)
                .uuid(organization_id.0)
                .text(assignee_id)
                .texts(keep.iter().map(InboxId::as_str))
                .big(BATCH)
                .rows::<ThreadKeyRow>(self.connection().await?)
                .await?;
            if locked.is_empty() {
                return Ok(());
            }
            let taken = Sql::new(UNASSIGN)
                .uuid(organization_id.0)
                .texts(locked.iter().map(|row| row.inbox_id.as_str()))
                .uuids(locked.iter().map(|row| row.thread_id))
                .time(at)
                .run(self.connection().await?)
                .await?;
            expect_rows(taken, locked.len())?;
        }
    }

    async fn delete(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
    ) -> Result<(), StoreError> {
        let deleted = Sql::new(DELETE)
            .uuid(organization_id.0)
            .text(inbox_id.as_str())
            .uuid(thread_id.0)
            .run(self.connection().await?)
            .await?;
        expect_rows(deleted, 1)
    }
}

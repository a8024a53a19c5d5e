//! Questions about threads.

use async_trait::async_trait;
use diesel::QueryableByName;
use inboxd_core::model::{Hidden, InboxId, OrganizationId, Page, Thread, ThreadId};
use inboxd_core::ports::{StoreError, ThreadQuery, ThreadReads};

use super::list;
use super::rows::{THREAD, ThreadRow};
use crate::messages::rows::INBOX_LIVES;
use crate::schema::threads;
use crate::sql::Sql;
use crate::store::PgStore;

/// Where a thread is.
#[derive(QueryableByName)]
#[diesel(table_name = threads)]
struct InboxRow {
    inbox_id: String,
}

#[async_trait]
impl ThreadReads for PgStore {
    async fn list_threads(&self, query: &ThreadQuery) -> Result<Page<Thread>, StoreError> {
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
            .row::<InboxRow>(&mut *self.connection().await?)
            .await?;
        Ok(row.map(|row| InboxId::stored(row.inbox_id)))
    }

    async fn thread(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
        readable: Hidden,
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
}

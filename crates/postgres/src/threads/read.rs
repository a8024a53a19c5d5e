//! Questions about threads.

use async_trait::async_trait;
use inboxd_core::model::{Hidden, InboxId, OrganizationId, Page, Thread, ThreadId};
use inboxd_core::ports::{StoreError, ThreadQuery, ThreadReads};

use super::list;
use super::rows::{THREAD, ThreadRow};
use crate::messages::rows::INBOX_LIVES;
use crate::sql::Sql;
use crate::store::PgStore;

#[async_trait]
impl ThreadReads for PgStore {
    async fn list_threads(&self, query: &ThreadQuery) -> Result<Page<Thread>, StoreError> {
        list::list(self, query).await
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
